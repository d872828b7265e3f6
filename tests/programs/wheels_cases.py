"""What wheels.py runs: `python wheels_cases.py CASE THREADS` computes something by libraries from PyPI and prints it as JSON.

{"results": {name: numbers}, "wrong": [what the case itself found to be wrong]}. Every input comes from a fixed seed.
"""

import ctypes
import json
import multiprocessing
import os
import pathlib
import re
import sys
import sysconfig
import threading

import numpy as np

THREADS = int(sys.argv[2])
_OPENMP = re.compile(r"/lib(gomp|omp|iomp5|omp_amity)([-.]\w[-.\w]*)?\.so[.\w]*$|/libomp_amity[^/]*$")
wrong: list[str] = []


def expect(condition, text: str) -> None:
    if not condition:
        wrong.append(text)


def table(rows: int, columns: int, seed: int = 1):
    random = np.random.default_rng(seed)
    points = random.normal(size=(rows, columns))
    return points, points @ random.normal(size=columns) + np.sin(3 * points[:, 0])


# --- one library each: what they compute, as few numbers as tell whether it is right


def scikit_learn() -> dict:
    from sklearn.cluster import KMeans
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.manifold import TSNE
    from sklearn.metrics import pairwise_distances, pairwise_distances_argmin
    from sklearn.neighbors import NearestNeighbors

    x, y = table(4000, 12)
    trees = HistGradientBoostingRegressor(max_iter=30, random_state=0).fit(x, y)
    clusters = KMeans(n_clusters=8, n_init=2, random_state=0).fit(x)
    neighbours = NearestNeighbors(n_neighbors=5, algorithm="brute").fit(x).kneighbors(x[:500], return_distance=False)
    embedded = TSNE(max_iter=250, init="pca", random_state=0, perplexity=10).fit(x[:150])
    return {
        "trees": trees.predict(x[:50]).tolist(),
        "centres": np.sort(clusters.cluster_centers_, axis=None).tolist(),
        "nearest centre": pairwise_distances_argmin(x, clusters.cluster_centers_)[:200].tolist(),
        "distances": pairwise_distances(x[:40], x[:40]).ravel()[:200].tolist(),
        "neighbours": neighbours.ravel().tolist(),
        "embedding's points": list(embedded.embedding_.shape),
    }


def xgboost() -> dict:
    import xgboost

    x, y = table(3000, 10, seed=2)
    model = xgboost.train({"nthread": THREADS, "tree_method": "hist", "seed": 0, "verbosity": 0}, xgboost.DMatrix(x, y), 20)
    return {"xgboost": model.predict(xgboost.DMatrix(x[:50])).astype(float).tolist()}


def lightgbm() -> dict:
    import lightgbm

    x, y = table(3000, 10, seed=3)
    parameters = {"num_threads": THREADS, "deterministic": True, "force_row_wise": True, "verbose": -1, "seed": 0}
    model = lightgbm.train(parameters, lightgbm.Dataset(x, y), 20)
    return {"lightgbm": model.predict(x[:50]).tolist()}


def faiss() -> dict:
    import faiss

    x = table(4000, 16, seed=4)[0].astype("float32")
    flat = faiss.IndexFlatL2(16)
    flat.add(x)
    exact = flat.search(x[:100], 10)
    cells = faiss.IndexIVFFlat(faiss.IndexFlatL2(16), 16, 16)
    cells.train(x)
    cells.add(x)
    cells.nprobe = 16  # all of them: the answer is the exact one
    graph = faiss.IndexHNSWFlat(16, 16)  # threads insert in any order: another graph each time
    graph.add(x)
    found = graph.search(x[:100], 10)[1]
    hits = sum(len(set(a) & set(b)) for a, b in zip(found.tolist(), exact[1].tolist()))
    expect(hits > 800, f"faiss: the graph finds only {hits} of 1000 neighbours")
    return {
        "faiss, exact": exact[1].ravel().tolist(),
        "faiss, distances": exact[0].ravel().astype(float).tolist(),
        "faiss, cells": np.sort(cells.search(x[:100], 10)[1], axis=1).ravel().tolist(),
    }


def mkl() -> dict:
    """MKL's own threading layer asks for libiomp5."""
    os.environ["MKL_THREADING_LAYER"] = "INTEL"
    library = ctypes.CDLL(str(next(pathlib.Path(sys.prefix, "lib").glob("libmkl_rt.so*"))))
    a, b = (table(300, 300, seed=s)[0] for s in (5, 6))
    c = np.zeros((300, 300))
    pointer = lambda matrix: matrix.ctypes.data_as(ctypes.c_void_p)
    library.cblas_dgemm.argtypes = [ctypes.c_int] * 6 + [ctypes.c_double, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p,
                                                         ctypes.c_int, ctypes.c_double, ctypes.c_void_p, ctypes.c_int]  # fmt: skip
    for _ in range(20):
        library.cblas_dgemm(101, 111, 111, 300, 300, 300, 1.0, pointer(a), 300, pointer(b), 300, 0.0, pointer(c), 300)
    pivots = np.zeros(300, dtype=np.int32)
    factors = a.copy()
    library.LAPACKE_dgetrf(101, 300, 300, pointer(factors), 300, pointer(pivots))
    expect(np.allclose(c, a @ b), "MKL's product is not numpy's")
    return {"mkl, product": c.ravel()[:200].tolist(), "mkl, pivots": pivots.tolist(),
            "mkl, factors": factors.ravel()[:200].tolist()}


def numba() -> dict:
    """Loops that numba compiles here and gives to its OpenMP layer: short ones, and iterations that take ever longer."""
    os.environ |= {"NUMBA_THREADING_LAYER": "omp", "NUMBA_NUM_THREADS": str(THREADS)}
    import numba as compiler

    @compiler.njit(parallel=True)
    def add(a, x, y):
        for i in compiler.prange(x.size):
            y[i] = a * x[i] + y[i]

    @compiler.njit(parallel=True)
    def triangle(n):
        out = np.zeros(n)
        for i in compiler.prange(n):
            for j in range(i):
                out[i] += 1.0 / (1 + i * j)
        return out

    x, y = table(1000, 1, seed=8)[0].ravel(), np.zeros(1000)
    for _ in range(20000):
        add(0.5, x, y)
    sums = triangle(3000)
    expect(compiler.threading_layer() == "omp", f"numba's threading layer is {compiler.threading_layer()}")
    return {"numba, sums": y[:200].tolist(), "numba, triangle": sums[::20].tolist()}


def pyscf() -> dict:
    """Water: Hartree-Fock and its gradient, density functional, coupled clusters."""
    from pyscf import cc, dft, gto, lib, scf

    lib.num_threads(THREADS)
    water = gto.M(atom="O 0 0 0; H 0 0.76 0.58; H 0 -0.76 0.58", basis="cc-pvdz", verbose=0)
    field = scf.RHF(water).run()
    density = dft.RKS(water, xc="b3lyp").run()
    clusters = cc.CCSD(field).run()
    return {
        "pyscf, energies": [float(field.e_tot), float(density.e_tot), float(clusters.e_corr)],
        "pyscf, gradient": field.nuc_grad_method().kernel().ravel().tolist(),
    }


def healpy() -> dict:
    """Harmonics on the sphere."""
    import healpy as sphere

    sky = table(12 * 64**2, 1, seed=9)[0].ravel()
    harmonics = sphere.map2alm(sky, iter=2)
    again = sphere.alm2map(harmonics, 64)
    return {"healpy, harmonics": np.abs(harmonics[:200]).tolist(), "healpy, sky": again[:200].tolist()}


def qulacs() -> dict:
    """Gates on 14 qubits: one short region each."""
    from qulacs import QuantumCircuit, QuantumState

    angles = iter(np.random.default_rng(10).normal(size=14 * 20))
    circuit = QuantumCircuit(14)
    for _ in range(20):
        for qubit in range(14):
            circuit.add_RX_gate(qubit, next(angles))
        for qubit in range(13):
            circuit.add_CNOT_gate(qubit, qubit + 1)
    state = QuantumState(14)
    state.set_zero_state()
    circuit.update_quantum_state(state)
    return {"qulacs": np.abs(state.get_vector()[:200]).tolist()}


def implicit() -> dict:
    """Cython's prange within parallel(): its loops begin with a barrier."""
    import implicit.als
    import scipy.sparse

    random = np.random.default_rng(11)
    at = random.integers(0, 2000, 30000), random.integers(0, 1000, 30000)
    bought = scipy.sparse.coo_matrix((random.integers(1, 5, 30000).astype("float32"), at), shape=(2000, 1000)).tocsr()
    model = implicit.als.AlternatingLeastSquares(factors=16, iterations=5, num_threads=THREADS, random_state=1, use_gpu=False)
    model.fit(bought, show_progress=False)
    return {"implicit": model.user_factors[:20].ravel().astype(float).tolist()}


def finufft() -> dict:
    """Fourier transforms of points anywhere; FFTW's threads are OpenMP's."""
    import finufft as transforms

    points = np.random.default_rng(12).uniform(-np.pi, np.pi, (2, 20000))
    strengths = np.ones(20000) + 0j
    plane = transforms.nufft2d1(*points, strengths, (64, 64), eps=1e-9, nthreads=THREADS)
    line = [transforms.nufft1d1(points[0][:2000], strengths[:2000], 500, eps=1e-9, nthreads=THREADS) for _ in range(50)]
    expect(all(np.allclose(each, line[0], rtol=1e-7, atol=1e-6) for each in line), "finufft: one transform of 50 differs")
    return {"finufft, plane": np.abs(plane).ravel()[:200].tolist(), "finufft, line": np.abs(line[0])[:200].tolist()}


LIBRARIES = {
    "scikit-learn": scikit_learn, "xgboost": xgboost, "lightgbm": lightgbm, "faiss": faiss, "mkl": mkl, "numba": numba,
    "pyscf": pyscf, "healpy": healpy, "qulacs": qulacs, "implicit": implicit, "finufft": finufft,
}  # fmt: skip


def available() -> list:
    has_mkl = any(pathlib.Path(sys.prefix, "lib").glob("libmkl_rt.so*"))
    return [f for name, f in LIBRARIES.items() if name != "mkl" or has_mkl]


def together() -> dict:
    results = {}
    for compute in available():
        results |= compute()
    return results


# --- one runtime for all of them


def runtimes() -> list[dict]:
    import threadpoolctl

    return [entry for entry in threadpoolctl.threadpool_info() if entry["user_api"] == "openmp"]


def runtimes_in_maps() -> set[str]:
    with open("/proc/self/maps") as maps:
        return {os.path.realpath(path) for line in maps if _OPENMP.search(path := line.split(None, 5)[-1].strip())}


def expect_one_runtime() -> None:
    seen = runtimes()
    expect(len(seen) == 1, f"threadpoolctl sees {len(seen)} OpenMP runtimes: {[e['filepath'] for e in seen]}")
    for path in {e["filepath"] for e in seen} | runtimes_in_maps():
        expect(os.path.basename(path).startswith("libomp_amity"), f"another OpenMP runtime is in the process: {path}")


def limits() -> dict:
    """threadpool_limits holds for every library, and is undone."""
    import threadpoolctl
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

    together()
    expect_one_runtime()
    before = [e["num_threads"] for e in runtimes()]
    expect(before == [THREADS], f"threadpool_info says {before} threads, not {THREADS}")
    with threadpoolctl.threadpool_limits(limits=1, user_api="openmp"):
        inside = [e["num_threads"] for e in runtimes()]
        expect(inside == [1], f"under threadpool_limits(1) it says {inside} threads")
        expect(_openmp_effective_n_threads() == 1, "scikit-learn does not see the limit")
        limited = scikit_learn()
    after = [e["num_threads"] for e in runtimes()]
    expect(after == [THREADS], f"after threadpool_limits it says {after} threads, not {THREADS}")
    return limited


def absolute_paths() -> dict:
    """Every copy of a runtime that the wheels carry, asked for by its full path."""
    copies = [path for path in pathlib.Path(sys.prefix).rglob("*.so*") if _OPENMP.search(str(path)) and not path.is_symlink()]
    expect(len(copies) >= 3, f"only {len(copies)} copies of OpenMP runtimes are among the wheels")
    for path in copies:
        library = ctypes.CDLL(str(path))
        expect(library.omp_get_max_threads() == THREADS, f"{path}: omp_get_max_threads() is {library.omp_get_max_threads()}")
    together()
    expect_one_runtime()
    return {}


# --- processes and threads around it


def _in_child(_number: int) -> list:
    return _flat(scikit_learn() | xgboost() | lightgbm() | faiss())


def _flat(results: dict) -> list:
    return [number for numbers in results.values() for number in numbers]


def _expect_same(who: str, results: list, reference: list) -> None:
    for number, result in enumerate(results):
        same = len(result) == len(reference) and np.allclose(result, reference, rtol=1e-4, atol=1e-4)
        expect(same, f"{who} {number} computes something else than the process that started it")


def fork() -> dict:
    """Children of a fork, of a process whose pool is at work; and the parent goes on."""
    reference = _in_child(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        _expect_same("forked child", pool.map(_in_child, range(4)), reference)
    _expect_same("after the forks, computation", [_in_child(0)], reference)
    return {}


def fork_in_thread() -> dict:
    """The same from a thread that is not the first, while the first computes: by OpenMP alone, since other libraries' locks
    are not made for that."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    reference = _in_child(0)
    results = []
    x, y = table(4000, 12)
    computed = lambda: HistGradientBoostingRegressor(max_iter=60, random_state=0).fit(x, y).predict(x[:50])
    before = computed()

    def forks():
        with multiprocessing.get_context("fork").Pool(1) as pool:
            results.extend(pool.map(_in_child, range(1)))

    thread = threading.Thread(target=forks)
    thread.start()
    while thread.is_alive():
        expect(np.allclose(computed(), before), "what is computed meanwhile is something else than before")
    thread.join()
    expect(len(results) == 1, "the child gave no result")
    _expect_same("forked child", results, reference)
    return {}


def joblib_processes() -> dict:
    import joblib

    reference = _in_child(0)
    _expect_same("loky's worker", joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(_in_child)(i) for i in range(4)),
                 reference)
    return {}


def joblib_threads() -> dict:
    import joblib

    reference = _in_child(0)
    _expect_same("thread", joblib.Parallel(n_jobs=4, backend="threading")(joblib.delayed(_in_child)(i) for i in range(8)),
                 reference)
    return {}


def short_threads() -> dict:
    """Threads that come and go, some regions each: the OS threads that this takes are used again."""
    from sklearn.metrics import pairwise_distances_argmin

    x = table(2000, 8, seed=7)[0]
    reference = pairwise_distances_argmin(x, x[:20])
    kernel_threads = lambda: len(os.listdir("/proc/self/task"))

    def compute():
        expect((pairwise_distances_argmin(x, x[:20]) == reference).all(), "a short-lived thread computes something else")

    counts, at_once = [], 4
    for _ in range(60):
        group = [threading.Thread(target=compute) for _ in range(at_once)]
        for thread in group:
            thread.start()
        for thread in group:
            thread.join()
        counts.append(kernel_threads())
    most = counts[0] + at_once * THREADS  # how many of them compute at the same time is chance
    expect(max(counts) <= most, f"OS threads grow: {counts}")
    return {}


CASES = LIBRARIES | {
    "together": together,
    "limits": limits,
    "absolute-paths": absolute_paths,
    "fork": fork,
    "fork-in-thread": fork_in_thread,
    "joblib-loky": joblib_processes,
    "joblib-threading": joblib_threads,
    "short-threads": short_threads,
}

if __name__ == "__main__":
    found = CASES[sys.argv[1]]()
    if "amity" in sys.argv[3:]:
        expect_one_runtime()
    print(json.dumps({"results": found, "wrong": wrong}))
