"""Optimal transport between clouds of points, by many short parallel regions."""

import sys

import numpy
import ot

threads = int(sys.argv[1])
random = numpy.random.RandomState(1)
weights = numpy.full(300, 1 / 300)
for _ in range(4):
    distances = ot.dist(random.randn(300, 3), random.randn(300, 3))
    print(f"{ot.emd2(weights, weights, distances, numThreads=threads):.8f}")
