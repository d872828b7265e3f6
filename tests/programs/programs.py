#!/usr/bin/env python3
"""Runs programs of Debian's, unmodified, on their own OpenMP runtime and on Amity, and compares.

    tests/programs/programs.py --install --threads 4

README.md beside this file tells what is compared and how.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field

import compare
import watch
from catalogue import PROGRAMS, Program

_REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
_AMITY = "libomp_amity.so*"
_PATH = "/usr/bin:/bin:/usr/sbin:/sbin"  # packaged programs, not what stands in /usr/local
_FOREIGN = ("OMP_", "GOMP_", "KMP_", "OPENBLAS_", "GOTO_", "MAGICK_", "LD_", "PYTHON", "R_")


@dataclass
class Result:
    name: str
    outcome: str
    reason: str = ""
    own: list[str] = field(default_factory=list)
    replacement: list[str] = field(default_factory=list)
    seen_in_maps: bool = False


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--install", action="store_true", help="install missing packages (as root or with sudo)")
    parser.add_argument("--only", metavar="GLOB", action="append", help="only programs of this name; may be repeated")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), metavar="N", help="default: one per core")
    parser.add_argument("--runner", metavar="CMD", help="what puts Amity beneath a program (default: amity run -t N --)")
    parser.add_argument("--timeout", type=float, default=120.0, metavar="S", help="seconds for one run (default 120)")
    parser.add_argument("--report", type=pathlib.Path, metavar="FILE", help="write FILE as JSON")
    parser.add_argument("--minimum", type=int, metavar="N", help="fail also when fewer than N programs pass")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="leave inputs and outputs in DIR")
    parser.add_argument("--list", action="store_true", help="list the programs, their packages and commands")
    options = parser.parse_args()
    if options.runner is None:
        amity = _REPOSITORY / "build/bin/amity"
        if not options.list and not amity.exists():
            parser.error(f"no {amity}: build first (script/build), or give --runner")
        options.runner = f"{shlex.quote(str(amity))} run -t {options.threads} --"
    return options


def missing_packages(program: Program) -> list[str]:
    def installed(package: str) -> bool:
        done = subprocess.run(["dpkg-query", "-W", "-f=${db:Status-Status}", package], capture_output=True, text=True)
        return done.returncode == 0 and done.stdout == "installed"

    return [package for package in program.packages if not installed(package)]


def install(programs: list[Program]) -> None:
    packages = sorted({package for program in programs for package in missing_packages(program)})
    if not packages:
        return
    become = [] if os.geteuid() == 0 else ["sudo"]
    if become and not shutil.which("sudo"):
        raise SystemExit(f"programs.py: --install needs root or sudo, for: {' '.join(packages)}")
    print(f"installing: {' '.join(packages)}", flush=True)
    apt = [*become, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-o", "DPkg::Lock::Timeout=600"]
    subprocess.run([*apt, "update"], stdout=subprocess.DEVNULL)
    done = subprocess.run([*apt, "install", "-y", "--no-install-recommends", *packages], stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        print(f"apt-get ended with status {done.returncode}; what is still missing will be skipped", flush=True)


def environment(program: Program, folder: pathlib.Path, threads: int) -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN)}
    return env | {"PATH": _PATH, "HOME": str(folder), "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": str(threads)} | program.environment


def run_once(program: Program, runner: list[str], folder: pathlib.Path, options: argparse.Namespace) -> watch.Run:
    folder.mkdir(parents=True)
    program.prepare(folder)
    command = [word.replace("{n}", str(options.threads)) for word in program.command]
    command[0] = shutil.which(command[0], path=_PATH) or command[0]
    return watch.run([*runner, *command], folder, environment(program, folder, options.threads), options.timeout)


def how_it_ended(run: watch.Run, options: argparse.Namespace) -> str:
    if run.status == 0:
        return ""
    last = next((line for line in reversed(run.errors.splitlines()) if line.strip()), "")
    ended = f"not finished in {options.timeout:g} s" if run.status is None else f"status {run.status}"
    return f"{ended}: {last.strip()}" if last else ended


def test(program: Program, options: argparse.Namespace, scratch: pathlib.Path) -> Result:
    result = Result(program.name, "SKIP")
    if missing := missing_packages(program):
        result.reason = f"not installed: {' '.join(missing)} (see --install)"
        return result
    own = run_once(program, [], scratch / "own", options)
    result.own = sorted(own.libraries)
    if problem := how_it_ended(own, options):
        result.reason = f"does not work here with its own runtime: {problem}"
    elif not own.libraries:
        result.reason = "does not load an OpenMP runtime here"
    if result.reason:
        return result

    other = run_once(program, shlex.split(options.runner), scratch / "amity", options)
    result.replacement = sorted(other.libraries)
    result.seen_in_maps = bool(other.mapped)
    result.reason = how_it_ended(other, options) or wrong_libraries(other.libraries)
    if not result.reason and (differs := difference(program, own, other, scratch, "amity")):
        again = run_once(program, [], scratch / "again", options)
        if difference(program, own, again, scratch, "again"):
            result.reason = "does not give the same output twice with its own runtime"
            return result
        result.reason = differs
    result.outcome = "FAIL" if result.reason else "PASS"
    return result


def wrong_libraries(libraries: set[str]) -> str:
    foreign = {path for path in libraries if not fnmatch.fnmatch(os.path.basename(path), _AMITY)}
    if foreign:
        return f"another OpenMP runtime was loaded: {' '.join(sorted(foreign))}"
    return "" if libraries else f"{_AMITY} was not loaded"


def difference(program: Program, own: watch.Run, other: watch.Run, scratch: pathlib.Path, second: str) -> str:
    found = compare.texts(own.output, other.output, program.ignore, program.tolerance)
    for name in program.outputs:
        found = found or compare.files(scratch / "own" / name, scratch / second / name)
    return found


def main() -> int:
    options = arguments()
    chosen = [p for p in PROGRAMS if not options.only or any(fnmatch.fnmatchcase(p.name, glob) for glob in options.only)]
    if options.list:
        for program in chosen:
            print(f"{program.name:24} {' '.join(program.packages):36} {shlex.join(program.command)}")
        return 0
    if options.install:
        install(chosen)

    results = []
    for program in chosen:
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            if options.keep:
                folder = options.keep.resolve() / program.name
                shutil.rmtree(folder, ignore_errors=True)
            results.append(result := test(program, options, folder))
        where = ", maps" if result.seen_in_maps else ""
        libraries = f"({' '.join(result.replacement)}{where})" if result.outcome == "PASS" else result.reason
        print(f"{result.outcome} {result.name:24} {libraries}", flush=True)

    counts = {outcome: sum(result.outcome == outcome for result in results) for outcome in ("PASS", "FAIL", "SKIP")}
    if options.report:
        options.report.parent.mkdir(parents=True, exist_ok=True)
        body = {"runner": options.runner, "threads": options.threads, "counts": counts, "programs": [asdict(r) for r in results]}
        options.report.write_text(json.dumps(body, indent=1) + "\n")
    print(f"{counts['PASS']} passed, {counts['FAIL']} failed, {counts['SKIP']} skipped")
    return int(counts["FAIL"] > 0 or counts["PASS"] < (options.minimum or 0))


if __name__ == "__main__":
    sys.exit(main())
