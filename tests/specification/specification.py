#!/usr/bin/env python3
"""Runs programs over OpenMP's constructs, each of which checks itself against a serial result, on an OpenMP library.

    tests/specification/specification.py --library build/lib/amity
    tests/specification/specification.py --library own            # libgomp and libomp: is the suite right?

README.md beside this file tells what is in the suite.
"""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import resource
import sys
import time

import coverage
import program as programs_of
import running
import toolchain

_REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
_KINDS = ("gcc", "clang", "gfortran")
_FEW = 3
_SKIPPED = 77  # for ctest


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", dest="runtime", required=True, metavar="DIR",
                        help="folder with the library, or `own` for the compilers' own")
    parser.add_argument("--only", action="append", metavar="GLOB", help="only programs of this name; may be repeated")
    parser.add_argument("--compiler", action="append", choices=_KINDS, help="only this compiler's; may be repeated")
    parser.add_argument("--threads", default="1,2,3,8,33", metavar="LIST", help="default %(default)s")
    parser.add_argument("--tool", type=pathlib.Path, metavar="LIBRARY", help="run them under this OMPT tool")
    parser.add_argument("--timeout", type=float, default=30.0, metavar="S", help="seconds for one run (default %(default)g)")
    parser.add_argument("--jobs", "-j", type=int, default=1, metavar="N", help="programs at a time (default %(default)s)")
    parser.add_argument("--cache", type=pathlib.Path, default=_REPOSITORY / "build/specification", metavar="DIR",
                        help="for binaries")
    parser.add_argument("--report", type=pathlib.Path, metavar="FILE", help="write FILE as JSON")
    parser.add_argument("--coverage", action="store_true", help="list the exported entries that no program calls; runs nothing")
    parser.add_argument("--list", action="store_true", help="list the programs with their sections; runs nothing")
    parser.add_argument("--quiet", action="store_true", help="only what failed, and the sums")
    options = parser.parse_args()
    options.cache = options.cache.resolve()
    if options.tool and not options.tool.exists():
        parser.error(f"--tool {options.tool}: there is no such file")
    options.threads = [int(word) for word in options.threads.split(",")]
    if options.runtime != "own" and not (pathlib.Path(options.runtime) / "libgomp.so.1").exists():
        parser.error(f"--library {options.runtime}: no libgomp.so.1 in it")
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    return options


def chosen(options: argparse.Namespace):
    kinds = options.compiler or _KINDS
    for program in programs_of.collect():
        if options.only and not any(fnmatch.fnmatchcase(program.name, glob) for glob in options.only):
            continue
        for kind in program.compilers:
            if kind in kinds:
                yield program, kind


def build(work, compilers, jobs: int) -> dict[tuple[str, str], str]:
    def one(item):
        program, kind = item
        return (program.name, kind), compilers[kind].build(program)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(pool.map(one, work))


def test(program, compiler, library: str, options: argparse.Namespace) -> dict:
    """Runs one program with all numbers of threads, up to the first that fails."""
    library = compiler.own_runtime() if library == "own" else os.path.abspath(library)
    begun = time.monotonic()
    for threads in options.threads:
        if program.few and threads > _FEW:
            continue
        environment = running.environment(library, threads, program.environment, options.tool)
        problem = running.run(compiler.binary(program), environment, options.timeout)
        if problem:
            return {"outcome": "FAIL", "detail": f"{threads} threads: {problem}", "seconds": round(time.monotonic() - begun, 2)}
    return {"outcome": "PASS", "detail": "", "seconds": round(time.monotonic() - begun, 2)}


def main() -> int:
    options = arguments()
    work = list(chosen(options))
    if options.list:
        for program, kind in work:
            print(f"{program.name:40} {kind:9} {program.section}")
        return 0
    compilers = toolchain.find(sorted({kind for _, kind in work}), options.cache)
    results = {}
    for program, kind in work:
        if kind not in compilers:
            results[program.name, kind] = {"outcome": "SKIP", "detail": f"there is no {kind}"}
        elif why := program.too_old(kind, compilers[kind].major):
            results[program.name, kind] = {"outcome": "SKIP", "detail": why}
    work = [(program, kind) for program, kind in work if (program.name, kind) not in results]
    for (name, kind), said in build(work, compilers, options.jobs).items():
        if said:
            reason = next(program.refused.get(kind) for program, _ in work if program.name == name)
            outcome, why = ("SKIP", f"{reason} ({said})") if reason else ("FAIL", f"does not compile: {said}")
            results[name, kind] = {"outcome": outcome, "detail": why}
    work = [(program, kind) for program, kind in work if (program.name, kind) not in results]

    if options.coverage:
        reached, missing = coverage.report([compilers[kind].binary(program) for program, kind in work])
        print(*missing, sep="\n")
        print(f"{len(reached)} of {len(reached) + len(missing)} exported names are called")
        return 0

    for kind, compiler in compilers.items():
        library = compiler.own_runtime() if options.runtime == "own" else os.path.abspath(options.runtime)
        print(f"{compiler.version}: {running.loaded_library(compiler, library)}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(test, program, compilers[kind], options.runtime, options): (program.name, kind)
                   for program, kind in work}
        for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
            results[futures[future]] = result = future.result()
            if result["outcome"] == "FAIL" or not options.quiet:
                name, kind = futures[future]
                print(f"[{done}/{len(futures)}] {result['outcome']} {name} {kind} {result['seconds']} s {result['detail']}",
                      flush=True)
    for (name, kind), result in sorted(results.items()):
        if "seconds" not in result:
            print(f"{result['outcome']} {name} {kind} {result['detail']}")
    counts = {outcome: sum(result["outcome"] == outcome for result in results.values()) for outcome in ("PASS", "FAIL", "SKIP")}
    if options.report:
        rows = [{"name": name, "compiler": kind, **result} for (name, kind), result in sorted(results.items())]
        options.report.write_text(json.dumps({"library": options.runtime, "threads": options.threads, "counts": counts,
                                              "programs": rows}, indent=1) + "\n")
    print(f"{counts['PASS']} passed, {counts['FAIL']} failed, {counts['SKIP']} skipped")
    if counts["SKIP"] == len(results) > 0:
        print("nothing could be tested here:", "; ".join(sorted({result["detail"] for result in results.values()})))
        return _SKIPPED
    return int(counts["FAIL"] > 0 or not counts["PASS"])


if __name__ == "__main__":
    sys.exit(main())
