"""Amity beneath the OpenMP of Python's libraries: scikit-learn, xgboost, lightgbm, faiss, MKL and others.

Two ways, the first of which changes no line of the script::

    python -m amity run -t 4 script.py

    import amity
    amity.activate()       # before numpy and what brings an OpenMP runtime
    import sklearn

NumPy's and SciPy's own linear algebra from PyPI has threads of its own (OpenBLAS with pthreads): Amity changes nothing
there.
"""

from ._notebook import load_ipython_extension, unload_ipython_extension
from ._runtime import activate, is_active, limit, stats, threads
from ._version import __version__

__all__ = [
    "__version__",
    "activate",
    "is_active",
    "limit",
    "load_ipython_extension",
    "stats",
    "threads",
    "unload_ipython_extension",
]
