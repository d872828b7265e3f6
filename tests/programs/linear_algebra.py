"""Products, solutions, decompositions with NumPy, of several sizes; prints figures of each result."""

import os
import sys

import numpy as np

with open("/proc/self/maps") as maps:
    if "openblasp" not in (text := maps.read()) or "openblas-openmp" not in text:
        sys.exit("NumPy is not on libopenblas0-openmp here")

rng = np.random.default_rng(7)


def show(what, n, *values):
    print(what, n, *(format(float(value), ".12e") for value in values))


for n in (3, 16, 65, 200, 512):
    a, b = rng.standard_normal((n, n)), rng.standard_normal((n, n))
    s = a @ a.T + n * np.eye(n)
    product = a @ b
    show("product", n, product.sum(), np.abs(product).max(), product[0, -1])
    show("vector", n, (a @ b[0]).sum(), a[0] @ b[0])
    solution = np.linalg.solve(s, b)
    show("solve", n, solution.sum(), np.abs(s @ solution - b).max() < 1e-9)
    show("cholesky", n, np.linalg.cholesky(s).trace())
    show("eigenvalues", n, *np.linalg.eigvalsh(s)[[0, n // 2, -1]])
    show("singular", n, *np.linalg.svd(a, compute_uv=False)[[0, -1]])
    show("inverse", n, np.linalg.inv(s).trace())
