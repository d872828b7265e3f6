#!/usr/bin/env python3
"""Runs GNU's own libgomp tests for C and C++ against a library in libgomp's place.

    tests/conformance/gomp.py --library build/lib/amity --minimum 600

README.md beside this file tells what counts as a test and how each is judged.
"""

import argparse
import concurrent.futures
import fnmatch
import os
import pathlib
import resource
import shlex
import shutil
import sys

import compile as compiling
import directives
import execute
import report
import sources
import symbols
from targets import Targets

_REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", metavar="DIR", default="", help="folder with libgomp.so.1, put first in LD_LIBRARY_PATH")
    parser.add_argument("--runner", metavar="CMD", default="", help="command put before each test")
    parser.add_argument("--only", metavar="GLOB", action="append", help="only tests of this name; may be repeated")
    parser.add_argument("--list", action="store_true", help="list the tests and what would become of each")
    parser.add_argument("--threads", type=int, metavar="N", help="sets OMP_NUM_THREADS (where the test doesn't)")
    parser.add_argument("--timeout", type=float, default=30.0, metavar="S", help="seconds for one test (default 30)")
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N", help="compilers at a time")
    parser.add_argument("--run-jobs", type=int, default=1, metavar="N", help="tests run at a time (default 1)")
    parser.add_argument("--minimum", type=int, metavar="N", help="fail unless N tests pass; without it, a failing test is a failure")
    parser.add_argument("--report", type=pathlib.Path, metavar="FILE", help="write FILE (JSON) and the same as .txt")
    parser.add_argument("--compiler", default="gcc-12" if shutil.which("gcc-12") else "gcc", help="default %(default)s")
    parser.add_argument("--source", type=pathlib.Path, metavar="TAR", help="GCC's source (default: of gcc-12-source)")
    parser.add_argument("--cache", type=pathlib.Path, default=_REPOSITORY / "build/conformance", metavar="DIR")
    parser.add_argument("--verbose", action="store_true", help="print the output of failing tests, too")
    options = parser.parse_args()
    if options.library:
        options.library = os.path.abspath(options.library)
        if not os.path.exists(options.library + "/libgomp.so.1"):
            parser.error(f"--library {options.library}: no libgomp.so.1 in it")
    return options


def plans(tree: sources.Tree, options: argparse.Namespace) -> list[tuple[sources.Source, directives.Plan]]:
    selectors = {}
    for language in ("c", "c++"):
        targets = Targets(options.compiler, language)
        selectors[language] = directives.Selectors(targets.triplet, targets.has)
    found = []
    for source in tree.tests():
        if options.only and not any(fnmatch.fnmatchcase(source.name, glob) for glob in options.only):
            continue
        try:
            plan = directives.parse(source.path.read_text(errors="replace"), selectors[source.language], source.language)
        except ValueError as error:
            plan = directives.Plan(skip=f"not understood: {error}")
        if plan.unknown:
            plan.skip = plan.skip or f"not understood: {', '.join(plan.unknown)}"
        elif plan.action != "run":
            plan.skip = plan.skip or f"a test of the compiler: dg-do {plan.action}"
        found.append((source, plan))
    return found


def progress(what: str):
    step = 1 if sys.stdout.isatty() else 50
    end = "\r" if sys.stdout.isatty() else "\n"

    def show(done: int, of: int) -> None:
        if done % step == 0 or done == of:
            print(f"{what} {done}/{of}", end="\n" if done == of else end, flush=True)

    return show


def run_all(work, compiler: compiling.Compiler, setting: execute.Setting, jobs: int) -> dict[str, execute.Ending]:
    endings = {}
    show = progress("run")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(execute.run, compiler.binary(source, plan), plan, setting): source.name for source, plan in work}
        for count, future in enumerate(concurrent.futures.as_completed(futures), 1):
            endings[futures[future]] = future.result()
            show(count, len(futures))
    return endings


def results_of(planned, failed_builds: dict[str, str], endings: dict[str, execute.Ending]) -> list[report.Result]:
    results = []
    for source, plan in planned:
        if plan.skip:
            results.append(report.Result(source.name, "SKIP", detail=plan.skip))
        elif source.name in failed_builds:
            results.append(report.Result(source.name, "FAIL", "compile failed", failed_builds[source.name]))
        else:
            ending = endings[source.name]
            outcome = "PASS" if ending.passed else "FAIL"
            output = "" if ending.passed else ending.output[-4000:]
            results.append(report.Result(source.name, outcome, "" if ending.passed else ending.kind, ending.detail, output))
    return results


def main() -> int:
    options = arguments()
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))  # a crash leaves no file
    tree = sources.unpack(options.source or sources.find_tarball(), options.cache)
    planned = plans(tree, options)
    if options.list:
        for source, plan in planned:
            print(f"SKIP {source.name}  {plan.skip}" if plan.skip else f"run  {source.name}")
        print(f"{sum(not plan.skip for _, plan in planned)} to run, {sum(bool(plan.skip) for _, plan in planned)} skipped")
        return 0

    setting = execute.Setting(shlex.split(options.runner), options.library, options.threads, options.timeout)
    library, problem = symbols.library_under_test(options.compiler, setting)
    print(f"OpenMP library: {library}" if library else f"OpenMP library: a program does not run with it: {problem}", flush=True)

    compiler = compiling.Compiler(options.compiler, tree, options.cache)
    work = [(source, plan) for source, plan in planned if not plan.skip]
    failed_builds = compiling.build_all(compiler, work, options.jobs, progress("compiled"))
    work = [(source, plan) for source, plan in work if source.name not in failed_builds]
    results = results_of(planned, failed_builds, run_all(work, compiler, setting, options.run_jobs))

    for row in report.lists(results, ("FAIL", "SKIP")):
        print(row)
    if options.verbose:
        for result in results:
            if result.output:
                print(f"\n--- output of {result.name}\n{result.output}")
    if rows := report.reasons(results):
        print("\nFailures by reason:", *rows, sep="\n")
    where = library or (options.library and os.path.realpath(options.library + "/libgomp.so.1"))
    binaries = {source.name: compiler.binary(source, plan) for source, plan in work}
    lacking = symbols.missing(binaries, where) if where and report.count(results, "FAIL") else {}
    if lacking:
        print(f"\nNot exported by {where}:", *symbols.table(lacking), sep="\n")
    if options.report:
        head = {"library": where, "runner": options.runner, "threads": options.threads, "timeout": options.timeout,
                "compiler": options.compiler, "only": options.only}
        report.write(options.report, head, results, lacking)
    print("", *report.by_folder(results), report.final_line(results), sep="\n")
    if options.minimum is not None:
        return int(report.count(results, "PASS") < options.minimum)
    return int(report.count(results, "FAIL") > 0)


if __name__ == "__main__":
    sys.exit(main())
