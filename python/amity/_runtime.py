"""Amity in this process: brought in, asked, limited."""

import contextlib
import ctypes
import operator
import os
import pathlib
import re

from . import _native_files as native

_RUNTIME = re.compile(r"^(libgomp|libomp|libiomp5)[.-].*so")  # as amity/cli/redirect/redirect.c; wheels rename their copies
_OWN = re.compile(r"^libomp_amity\.so")
_COUNTERS = ("carriers", "regions", "serial_regions", "tasks", "steals", "waits", "switches", "sleeps", "rescues")


def _loaded(pattern):
    """Paths of the libraries in this process whose names match, in the order of their addresses."""
    paths = {}
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            path = line.rstrip("\n").split(maxsplit=5)[5:]
            if path and pattern.match(os.path.basename(path[0])):
                paths[path[0]] = True
    return list(paths)


def is_active():
    """Whether Amity is in this process: by activate(), or because `amity run` has started it and a library has asked
    for an OpenMP runtime."""
    return bool(_loaded(_OWN))


def activate(threads=None):
    """Makes Amity the OpenMP runtime of what is imported from now on, in this process and in those that it starts
    (joblib's and multiprocessing's children by the environment).

    threads: how many threads a parallel region has, here and in the children (OMP_NUM_THREADS); None leaves that as it
    is: one for each core that this process may use.

    Call it before anything that brings a runtime of its own: importing scikit-learn does, importing numpy does not. If
    another runtime is in the process already, raises RuntimeError, names that runtime, and changes nothing. If Amity
    is in it already, sets what was asked for and is right.

    A wheel's own runtime is still loaded where its library names it by path, and stays idle: the calls go to Amity,
    which came first. Under `python -m amity run` it isn't even loaded.
    """
    if threads is not None:
        threads = _checked(threads)
    redirects = _is_redirected()
    if not redirects:
        _check_auditor()
    if not is_active():
        strangers = _loaded(_RUNTIME)
        if strangers:
            raise RuntimeError(
                f"amity.activate() comes too late: another OpenMP runtime is in this process already, {strangers[0]}; "
                "call it before the import that loads this one, or start Python by 'python -m amity run script.py'. "
                "Nothing was changed"
            )
        _check_files()
        _load(threads)
    elif threads is not None:
        os.environ["OMP_NUM_THREADS"] = str(threads)
        _library().omp_set_num_threads(threads)
    if not redirects:
        _prepare_children()


def threads():
    """How many threads the next parallel region of this thread may have. Raises RuntimeError where Amity isn't active."""
    return _library().omp_get_max_threads()


@contextlib.contextmanager
def limit(count):
    """Within the block, parallel regions of this thread have at most `count` threads::

        with amity.limit(2):
            model.fit(x, y)

    Raises ValueError for what is no whole number from 1 on, RuntimeError where Amity isn't active."""
    count = _checked(count)
    library = _library()
    before = library.omp_get_max_threads()
    library.omp_set_num_threads(count)
    try:
        yield
    finally:
        library.omp_set_num_threads(before)


def stats():
    """What the runtime has done in this process so far: a dictionary of numbers, those of `amity run --stats`. `regions`
    are parallel regions with a team, `serial_regions` those of one thread, `waits` the waits that outlasted their
    spinning, `sleeps` how often an OS thread of Amity's slept. Raises RuntimeError where Amity isn't active."""
    try:
        counter = _library().amity_counter
    except AttributeError:
        raise RuntimeError("the Amity in this process is older than this package, and keeps its numbers to itself") from None
    counter.argtypes = [ctypes.c_char_p]
    counter.restype = ctypes.c_longlong
    return {name: counter(name.encode()) for name in _COUNTERS}


def _checked(count):
    """The number of threads as an int: NumPy's whole numbers are taken, too."""
    try:
        number = None if isinstance(count, bool) else operator.index(count)
    except TypeError:
        number = None
    if number is None:
        raise ValueError(f"a number of threads is a whole number, not {count!r}")
    if not 1 <= number <= 2**31 - 1:
        raise ValueError(f"a number of threads is at least 1, and {number} is not possible")
    return number


def _check_files():
    for path in (native.LIBRARY, native.AUDITOR):
        if not path.exists():
            raise RuntimeError(f"this installation of amity-runtime is not whole: {path} is missing; install it again")


def _library():
    if not is_active():
        raise RuntimeError(
            "Amity is not in this process: call amity.activate() before the first import that brings an OpenMP runtime, "
            "or start Python by 'python -m amity run script.py'"
        )
    # The one that is loaded already: by its name, since its file may have been replaced meanwhile.
    return ctypes.CDLL(native.LIBRARY.name, mode=os.RTLD_NOLOAD | os.RTLD_NOW)


def _load(threads):
    """Under another Amity's `amity run`, that one's library: its auditor leads all names of runtimes there, and this
    package's would be a second one beside it."""
    library = native.LIBRARY
    if _is_redirected():
        around = pathlib.Path(os.environ["AMITY_REDIRECT"]).parent / library.name
        library = around if around.exists() else library
    before = os.environ.get("OMP_NUM_THREADS")
    if threads is not None:
        os.environ["OMP_NUM_THREADS"] = str(threads)  # before the library reads it
    try:
        ctypes.CDLL(str(library), mode=os.RTLD_GLOBAL | os.RTLD_NOW)
    except OSError as failed:
        if before is not None:
            os.environ["OMP_NUM_THREADS"] = before
        elif threads is not None:
            del os.environ["OMP_NUM_THREADS"]
        raise RuntimeError(f"the loader refuses Amity's library: {failed}. Nothing was changed") from None


def _is_redirected():
    """`amity run` is around this process, or a process with activate() has started it."""
    return "AMITY_REDIRECT" in os.environ and native.AUDITOR.name in os.environ.get("LD_AUDIT", "")


def _check_auditor():
    if ":" in str(native.AUDITOR):
        raise RuntimeError(
            f"processes that this one starts would not have Amity: the loader's list LD_AUDIT cannot hold the path "
            f"{native.AUDITOR}, because of the ':'; install amity-runtime in a folder without one. Nothing was changed"
        )


def _prepare_children():
    """What `amity run` sets (amity/cli/run.cpp): the loader of each process that is started from now on leads every name
    of an OpenMP runtime to Amity."""
    auditor, before = str(native.AUDITOR), os.environ.get("LD_AUDIT")
    os.environ["LD_AUDIT"] = f"{auditor}:{before}" if before else auditor
    os.environ["AMITY_REDIRECT"] = str(native.FOLDER)
