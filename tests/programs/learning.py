"""Clusters, trees grown by gradients, neighbours: what scikit-learn does by OpenMP."""

import sys

import numpy as np
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import pairwise_distances_argmin_min

rng = np.random.default_rng(9)
points = np.concatenate([rng.normal(center, 0.4, (700, 5)) for center in (-2.0, 0.0, 3.0)])
labels = np.repeat([0, 1, 2], 700)

for algorithm in ("lloyd", "elkan"):
    found = KMeans(3, init=points[[0, 700, 1400]], n_init=1, algorithm=algorithm).fit(points)
    print(algorithm, format(found.inertia_, ".9e"), *np.bincount(found.labels_))
trees = HistGradientBoostingRegressor(max_iter=30, random_state=1).fit(points, points[:, 0] * points[:, 1])
print("regression", format(trees.predict(points).sum(), ".9e"))
trees = HistGradientBoostingClassifier(max_iter=20, random_state=1).fit(points, labels)
print("classes", (trees.predict(points) == labels).sum())
nearest, distance = pairwise_distances_argmin_min(points, points[::97])
print("nearest", nearest.sum(), format(distance.sum(), ".9e"))
sys.exit(0)
