#!/usr/bin/env python3
"""Runs libraries from PyPI that carry OpenMP runtimes of their own, together in one process, on those and on Amity.

    tests/programs/wheels.py --threads 4

README.md beside this file tells what is compared and how.
"""

import argparse
import fnmatch
import importlib.util
import json
import math
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field

import watch

_HERE = pathlib.Path(__file__).resolve().parent
_REPOSITORY = _HERE.parents[1]
_CASES = _HERE / "wheels_cases.py"
_AMITY = "libomp_amity.so*"
_FOREIGN = ("OMP_", "GOMP_", "KMP_", "OPENBLAS_", "MKL_", "LD_", "PYTHON", "AMITY_", "VIRTUAL_ENV")
_WHEELS = ("scikit-learn", "threadpoolctl", "joblib", "xgboost-cpu", "lightgbm", "faiss-cpu", "intel-openmp",
           "numba", "pyscf", "healpy", "qulacs", "implicit", "finufft")
_LARGE = ("mkl",)
_SKIPPED = 77  # what test drivers take for "not run"


@dataclass(frozen=True)
class Case:
    """`compared`: it gives numbers, which must be those of the wheels' own runtimes. The others compare by themselves: what
    they do is not to be had there (libgomp hangs in the child of a fork), or is about Amity alone."""

    name: str
    compared: bool = False
    large: bool = False


CASES = (
    Case("scikit-learn", compared=True),
    Case("xgboost", compared=True),
    Case("lightgbm", compared=True),
    Case("faiss", compared=True),
    Case("mkl", compared=True, large=True),
    Case("numba", compared=True),
    Case("pyscf", compared=True),
    Case("healpy", compared=True),
    Case("qulacs", compared=True),
    Case("implicit", compared=True),
    Case("finufft", compared=True),
    Case("together", compared=True),
    Case("limits"),
    Case("absolute-paths"),
    Case("fork"),
    Case("fork-in-thread"),
    Case("joblib-loky"),
    Case("joblib-threading"),
    Case("short-threads"),
)


@dataclass
class Result:
    name: str
    outcome: str
    reason: str = ""
    libraries: list[str] = field(default_factory=list)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--install", action="store_true",
                        help="install Debian's python3-venv if it is missing (as root or with sudo)")
    parser.add_argument("--cache", type=pathlib.Path, default=_REPOSITORY / "build/wheels", metavar="DIR",
                        help="the virtual environment (default build/wheels)")
    parser.add_argument("--large", action="store_true", help="Intel's MKL too: 220 MB more to fetch")
    parser.add_argument("--only", metavar="GLOB", action="append", help="only cases of this name; may be repeated")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), metavar="N", help="default: one per core")
    parser.add_argument("--runner", metavar="CMD", help="what puts Amity beneath Python (default: amity run -t N --)")
    parser.add_argument("--timeout", type=float, default=300.0, metavar="S", help="seconds for one run (default 300)")
    parser.add_argument("--report", type=pathlib.Path, metavar="FILE", help="write FILE as JSON")
    parser.add_argument("--verbose", action="store_true", help="what failing cases wrote to their standard error")
    parser.add_argument("--list", action="store_true", help="list the cases and what is installed")
    options = parser.parse_args()
    if options.runner is None:
        amity = _REPOSITORY / "build/bin/amity"
        if not options.list and not amity.exists():
            parser.error(f"no {amity}: build first (script/build), or give --runner")
        options.runner = f"{shlex.quote(str(amity))} run -t {options.threads} --"
    return options


def skip(reason: str) -> None:
    print(f"wheels.py: skipped: {reason}", flush=True)
    raise SystemExit(_SKIPPED)


def install_venv() -> None:
    become = [] if os.geteuid() == 0 else ["sudo"]
    if become and not shutil.which("sudo"):
        raise SystemExit("wheels.py: --install needs root or sudo, for: python3-venv")
    print("installing: python3-venv", flush=True)
    apt = [*become, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-o", "DPkg::Lock::Timeout=600"]
    subprocess.run([*apt, "update"], stdout=subprocess.DEVNULL)
    subprocess.run([*apt, "install", "-y", "--no-install-recommends", "python3-venv"], stdout=subprocess.DEVNULL)


def environment(options: argparse.Namespace) -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN)}
    # OpenBLAS has threads of its own, which are not what is looked at.
    return env | {"OMP_NUM_THREADS": str(options.threads), "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def make_environment(options: argparse.Namespace) -> pathlib.Path:
    """The virtual environment's Python, with everything in it; kept for the next time."""
    python = options.cache.resolve() / "bin/python"
    wheels = [*_WHEELS, *(_LARGE if options.large else ())]
    done = options.cache / "installed.txt"
    if done.is_file() and set(wheels) <= set(done.read_text().split()):
        return python
    if importlib.util.find_spec("ensurepip") is None:
        if options.install:
            install_venv()
        else:
            skip("Python's venv is missing (Debian's package python3-venv; --install installs it)")
    made = subprocess.run([sys.executable, "-m", "venv", str(options.cache)], capture_output=True, text=True)
    if made.returncode != 0:
        skip(f"no virtual environment can be made in {options.cache}: {made.stdout.strip() or made.stderr.strip()}")
    print(f"installing from PyPI, in {options.cache}: {' '.join(wheels)}", flush=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check"]
    fetched = subprocess.run(
        [*pip, "install", "-q", "--only-binary", ":all:", "--timeout", "20", "--retries", "1", *wheels],
        capture_output=True, text=True, env=environment(options),
    )  # fmt: skip
    if fetched.returncode != 0:
        last = (fetched.stderr.strip() or "pip said nothing").splitlines()[-1]
        skip(f"the wheels cannot be fetched, is PyPI reachable from here? {last}")
    done.write_text("\n".join(wheels) + "\n")
    return python


def run_once(case: Case, python: pathlib.Path, runner: list[str], options: argparse.Namespace) -> watch.Run:
    with tempfile.TemporaryDirectory() as folder:
        command = [*runner, str(python), str(_CASES), case.name, str(options.threads), *(["amity"] if runner else [])]
        return watch.run(command, pathlib.Path(folder), environment(options), options.timeout)


def answer(run: watch.Run, options: argparse.Namespace) -> tuple[dict, str]:
    """What the case printed, or what went wrong."""
    last = next((line.strip() for line in reversed(run.errors.splitlines()) if line.strip()), "")
    if run.status != 0:
        ended = f"not finished in {options.timeout:g} s" if run.status is None else f"status {run.status}"
        return {}, f"{ended}: {last}" if last else ended
    if "Error #15" in run.errors or "Error #13" in run.errors:
        return {}, f"a runtime complained of another one: {last}"
    printed = json.loads(run.output.splitlines()[-1])
    return printed["results"], "; ".join(printed["wrong"])


def difference(own: dict, other: dict) -> str:
    """Numbers may differ as sums in another order do; integers must not."""
    if own.keys() != other.keys():
        return f"results {sorted(own)} with its own runtime, {sorted(other)} with Amity"
    for name in own:
        pairs = list(zip(own[name], other[name]))
        if len(own[name]) != len(other[name]):
            return f"{name}: {len(own[name])} numbers with its own runtime, {len(other[name])} with Amity"
        for index, (a, b) in enumerate(pairs):
            same = a == b if isinstance(a, int) else math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-4)
            if not same:
                return f"{name}, number {index}: {a} with its own runtime, {b} with Amity"
    return ""


def foreign_libraries(libraries: set[str]) -> str:
    foreign = {path for path in libraries if not fnmatch.fnmatch(os.path.basename(path), _AMITY)}
    if foreign:
        return f"another OpenMP runtime was loaded: {' '.join(sorted(foreign))}"
    return "" if libraries else f"{_AMITY} was not loaded"


def test(case: Case, python: pathlib.Path, options: argparse.Namespace) -> Result:
    result = Result(case.name, "SKIP")
    expected: dict = {}
    if case.compared:
        own = run_once(case, python, [], options)
        expected, problem = answer(own, options)
        if problem:
            result.reason = f"does not work here with its own runtimes: {problem}"
            return result
    run = run_once(case, python, shlex.split(options.runner), options)
    result.libraries = sorted(run.libraries)
    found, problem = answer(run, options)
    result.reason = problem or foreign_libraries(run.libraries) or (difference(expected, found) if case.compared else "")
    if result.reason and options.verbose:
        print(run.errors, file=sys.stderr)
    result.outcome = "FAIL" if result.reason else "PASS"
    return result


def main() -> int:
    options = arguments()
    chosen = [c for c in CASES if options.large or not c.large]
    chosen = [c for c in chosen if not options.only or any(fnmatch.fnmatchcase(c.name, glob) for glob in options.only)]
    if options.list:
        print(f"from PyPI: {' '.join(_WHEELS)}; with --large: {' '.join(_LARGE)}")
        for case in chosen:
            print(f"{case.name:20} {'compared with its own runtimes' if case.compared else 'checks itself'}")
        return 0
    python = make_environment(options)
    results = []
    for case in chosen:
        results.append(result := test(case, python, options))
        print(f"{result.outcome} {result.name:20} {result.reason or ' '.join(result.libraries)}", flush=True)
    counts = {outcome: sum(r.outcome == outcome for r in results) for outcome in ("PASS", "FAIL", "SKIP")}
    if options.report:
        options.report.parent.mkdir(parents=True, exist_ok=True)
        body = {"runner": options.runner, "threads": options.threads, "counts": counts, "cases": [asdict(r) for r in results]}
        options.report.write_text(json.dumps(body, indent=1) + "\n")
    print(f"{counts['PASS']} passed, {counts['FAIL']} failed, {counts['SKIP']} skipped")
    return int(counts["FAIL"] > 0)


if __name__ == "__main__":
    sys.exit(main())
