"""The nearest points by pykdtree, whose queries are an OpenMP loop; the first hundred are looked up by hand too."""

import sys

import numpy as np
from pykdtree.kdtree import KDTree

rng = np.random.default_rng(10)
for dimensions in (2, 3, 5):
    points, queries = rng.random((5000, dimensions)), rng.random((8000, dimensions))
    distance, index = KDTree(points, leafsize=10).query(queries, k=4)
    print(dimensions, index.astype(np.int64).sum(), format(distance.sum(), ".12e"))
    for i in range(100):
        right = np.sort(np.sqrt(((points - queries[i]) ** 2).sum(axis=1)))[:4]
        if not np.allclose(right, distance[i]):
            sys.exit(f"query {i}: {distance[i]} instead of {right}")
