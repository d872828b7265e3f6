#!/usr/bin/env python3
"""How long scikit-learn from PyPI takes to fit a model while other processes use the cores: on its own libgomp, on that with
OMP_WAIT_POLICY=passive, and on Amity.

    bench/scikit_learn/measure.py                    # as many busy loops as there are cores, 5 rounds
    bench/scikit_learn/measure.py --busy 0 --json quiet.json

README.md beside this file tells what is compared and how. Nothing else should run meanwhile.
"""

import argparse
import importlib.util
import json
import math
import os
import pathlib
import queue
import statistics
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
FOREIGN = ("OMP_", "GOMP_", "KMP_", "OPENBLAS_", "LD_", "PYTHON", "AMITY_", "VIRTUAL_ENV")
WHEELS = ("numpy", "scikit-learn")
SKIPPED = 77  # what test drivers take for "not run"


def arguments():
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--busy", type=int, default=cores, metavar="N",
                        help="processes that compute without end (default: one for each core)")
    parser.add_argument("--threads", type=int, default=cores, metavar="N", help="OMP_NUM_THREADS (default: one for each core)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="fits of each contender, in turns (default 5)")
    parser.add_argument("--limit", type=float, default=20.0, metavar="S", help="seconds after which a fit is given up (default 20)")
    parser.add_argument("--rows", type=int, default=10000, metavar="N")
    parser.add_argument("--columns", type=int, default=20, metavar="N")
    parser.add_argument("--trees", type=int, default=50, metavar="N")
    parser.add_argument("--amity", type=pathlib.Path, default=REPOSITORY / "build/bin/amity", metavar="FILE",
                        help="default: build/bin/amity")
    parser.add_argument("--cache", type=pathlib.Path, default=REPOSITORY / "build/scikit-learn", metavar="DIR",
                        help="the virtual environment (default build/scikit-learn)")
    parser.add_argument("--python", type=pathlib.Path, metavar="FILE",
                        help="a Python that has scikit-learn, in place of the virtual environment's")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every fit to FILE")
    options = parser.parse_args()
    if not options.amity.exists():
        parser.error(f"no {options.amity}: build first (script/build), or give --amity")
    return options


def skip(reason):
    print(f"measure.py: skipped: {reason}", flush=True)
    raise SystemExit(SKIPPED)


def clean_environment(threads):
    env = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    # OpenBLAS has threads of its own, which are not what is looked at.
    return env | {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def make_python(options):
    """The virtual environment's Python, with scikit-learn in it; kept for the next time."""
    if options.python:
        return options.python
    python, done = options.cache.resolve() / "bin/python", options.cache / "installed.txt"
    if done.is_file():
        return python
    if importlib.util.find_spec("ensurepip") is None:
        skip("Python's venv is missing (Debian's package python3-venv)")
    if subprocess.run([sys.executable, "-m", "venv", str(options.cache)], capture_output=True).returncode != 0:
        skip(f"no virtual environment can be made in {options.cache}")
    print(f"installing from PyPI, in {options.cache}: {' '.join(WHEELS)}", flush=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "-q", "--only-binary", ":all:"]
    fetched = subprocess.run([*pip, *WHEELS], capture_output=True, text=True, env=clean_environment(1))
    if fetched.returncode != 0:
        skip(f"the wheels can't be fetched: {(fetched.stderr.strip() or 'pip said nothing').splitlines()[-1]}")
    done.write_text("\n".join(WHEELS) + "\n")
    return python


def read_lines(stream, lines):
    """One after the other, and an empty one when there are no more."""
    for line in stream:
        lines.put(line)
    lines.put("")


class Contender:
    def __init__(self, name, command, environment):
        self.name, self.command, self.environment = name, command, environment
        self.seconds = []  # None: given up

    def fit(self, limit, busy):
        """One fit in a process of its own, which has started before the cores are busy."""
        process = subprocess.Popen(self.command, env=self.environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        lines = queue.Queue()
        threading.Thread(target=read_lines, args=(process.stdout, lines), daemon=True).start()
        others = []
        try:
            if lines.get(timeout=120).strip() != "ready":
                raise SystemExit(f"measure.py: {self.name}: {' '.join(self.command)} did not start")
            others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
            process.stdin.write("fit\n")
            process.stdin.flush()
            line = lines.get(timeout=limit)
            if not line:
                raise SystemExit(f"measure.py: {self.name}: the process ended before the fit did")
            found = json.loads(line)
            self.seconds.append(found["seconds"])
            return found["answers"]
        except queue.Empty:
            self.seconds.append(None)
            return None
        finally:
            for one in [*others, process]:
                one.kill()
                one.wait()

    def in_words(self, limit):
        finished = sorted(s for s in self.seconds if s is not None)
        if not finished:
            return f"no fit in {limit:g} s"
        words = f"{finished[0]:.2f}" if len(finished) == 1 else f"{finished[0]:.2f} to {finished[-1]:.2f}"
        words += f" s, median {statistics.median(finished):.2f} s"
        given_up = len(self.seconds) - len(finished)
        return words + (f"; {given_up} of {len(self.seconds)} not in {limit:g} s" if given_up else "")


def contenders(options, python):
    program = [str(python), str(HERE / "fit.py"), str(options.rows), str(options.columns), str(options.trees)]
    env = clean_environment(options.threads)
    return [
        Contender("libgomp", program, env),
        Contender("libgomp, OMP_WAIT_POLICY=passive", program, env | {"OMP_WAIT_POLICY": "passive"}),
        Contender("Amity", [str(options.amity), "run", "--", *program], env),
    ]


def main():
    options = arguments()
    all_of_them = contenders(options, make_python(options))
    expected = None
    for _ in range(options.rounds):
        for one in all_of_them:
            answers = one.fit(options.limit, options.busy)
            if answers is None:
                continue
            expected = expected or answers
            if not all(math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-4) for a, b in zip(expected, answers, strict=True)):
                raise SystemExit(f"measure.py: {one.name} gives other predictions than {all_of_them[0].name}")
    cores = len(os.sched_getaffinity(0))
    print(f"HistGradientBoosting, {options.rows} x {options.columns}, {options.trees} trees; {options.threads} threads "
          f"on {cores} cores, "
          f"{options.busy} busy loops beside them; {options.rounds} rounds")
    for one in all_of_them:
        print(f"{one.name:34} {one.in_words(options.limit)}")
    if options.json:
        body = {"rows": options.rows, "columns": options.columns, "trees": options.trees, "threads": options.threads,
                "cores": cores,
                "busy": options.busy, "limit": options.limit, "seconds": {one.name: one.seconds for one in all_of_them}}
        options.json.write_text(json.dumps(body, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
