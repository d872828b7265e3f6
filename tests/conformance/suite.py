"""What the scripts for GNU's and for LLVM's tests have in common: their options, the order of the work, the report.

A suite is a list of (source, plan) with `plan.skip`, and a builder with

    build(source, plan) -> str             # why that failed, or nothing
    binary(source, plan) -> pathlib.Path   # is there once it is built
    programs(source, plan) -> list         # the executables and libraries among what was built
    run(source, plan, setting) -> Ending
"""

import argparse
import concurrent.futures
import fnmatch
import os
import pathlib
import resource
import shlex
import sys

import compile as compiling
import execute
import report
import symbols

_REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def parser(description: str, soname: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--library", dest="runtime_folder", metavar="DIR", default="",
                      help=f"folder with {soname}, put first in LD_LIBRARY_PATH")
    made.add_argument("--runner", metavar="CMD", default="", help="command put before each test")
    made.add_argument("--only", metavar="GLOB", action="append", help="only tests of this name; may be repeated")
    made.add_argument("--without", metavar="GLOB", action="append", help="not the tests of this name; may be repeated")
    made.add_argument("--list", action="store_true", help="list the tests and what would become of each")
    made.add_argument("--threads", type=int, metavar="N", help="sets OMP_NUM_THREADS (where the test doesn't)")
    made.add_argument("--timeout", type=float, default=30.0, metavar="S", help="seconds for one test (default %(default)g)")
    made.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N", help="compilers at a time")
    made.add_argument("--run-jobs", type=int, default=1, metavar="N", help="tests run at a time (default 1)")
    made.add_argument("--minimum", type=int, metavar="N", help="fail unless N tests pass; without it, a failing test is a failure")
    made.add_argument("--report", type=pathlib.Path, metavar="FILE", help="write FILE (JSON) and the same as .txt")
    made.add_argument("--cache", type=pathlib.Path, default=_REPOSITORY / "build/conformance", metavar="DIR")
    made.add_argument("--verbose", action="store_true", help="print the output of failing tests, too")
    return made


def parse(made: argparse.ArgumentParser, soname: str) -> argparse.Namespace:
    options = made.parse_args()
    options.soname = soname
    if options.runtime_folder:
        options.runtime_folder = os.path.abspath(options.runtime_folder)
        if not os.path.exists(f"{options.runtime_folder}/{soname}"):
            made.error(f"--library {options.runtime_folder}: no {soname} in it")
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))  # a crash leaves no file
    return options


def wanted(name: str, options: argparse.Namespace) -> bool:
    def named(globs: list[str]) -> bool:
        return any(fnmatch.fnmatchcase(name, glob) for glob in globs)

    return (not options.only or named(options.only)) and not named(options.without or [])


def print_list(planned) -> None:
    for source, plan in planned:
        print(f"SKIP {source.name}  {plan.skip}" if plan.skip else f"run  {source.name}")
    print(f"{sum(not plan.skip for _, plan in planned)} to run, {sum(bool(plan.skip) for _, plan in planned)} skipped")


def _progress(what: str):
    step = 1 if sys.stdout.isatty() else 50
    end = "\r" if sys.stdout.isatty() else "\n"

    def show(done: int, of: int) -> None:
        if done % step == 0 or done == of:
            print(f"{what} {done}/{of}", end="\n" if done == of else end, flush=True)

    return show


def _run_all(work, builder, setting: execute.Setting, jobs: int) -> dict[str, execute.Ending]:
    endings = {}
    show = _progress("run")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(builder.run, source, plan, setting): source.name for source, plan in work}
        for count, future in enumerate(concurrent.futures.as_completed(futures), 1):
            endings[futures[future]] = future.result()
            show(count, len(futures))
    return endings


def _results_of(planned, failed_builds: dict[str, str], endings: dict[str, execute.Ending]) -> list[report.Result]:
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


def run(options: argparse.Namespace, planned, builder) -> int:
    """Builds and runs the tests and reports; returns the exit status."""
    runner = shlex.split(options.runner)
    if runner and os.path.exists(runner[0]):
        runner[0] = os.path.abspath(runner[0])  # tests run in folders of their own
    setting = execute.Setting(runner, options.runtime_folder, options.threads, options.timeout)
    library, problem = symbols.library_under_test(options.compiler, setting)
    print(f"OpenMP library: {library}" if library else f"OpenMP library: a program does not run with it: {problem}", flush=True)

    work = [(source, plan) for source, plan in planned if not plan.skip]
    failed_builds = compiling.build_all(builder, work, options.jobs, _progress("compiled"))
    work = [(source, plan) for source, plan in work if source.name not in failed_builds]
    results = _results_of(planned, failed_builds, _run_all(work, builder, setting, options.run_jobs))

    for row in report.lists(results, ("FAIL", "SKIP")):
        print(row)
    if options.verbose:
        for result in results:
            if result.output:
                print(f"\n--- output of {result.name}\n{result.output}")
    if rows := report.reasons(results):
        print("\nFailures by reason:", *rows, sep="\n")
    where = library or (options.runtime_folder and os.path.realpath(f"{options.runtime_folder}/{options.soname}"))
    programs = {source.name: builder.programs(source, plan) for source, plan in work}
    lacking = symbols.missing(programs, where, options.soname) if where and report.count(results, "FAIL") else {}
    if lacking:
        print(f"\nNot exported by {where}:", *symbols.table(lacking), sep="\n")
    if options.report:
        head = {"library": where, "runner": options.runner, "threads": options.threads, "timeout": options.timeout,
                "compiler": options.compiler, "only": options.only, "without": options.without}
        report.write(options.report, head, results, lacking)
    print("", *report.by_folder(results), report.final_line(results), sep="\n")
    if options.minimum is not None:
        return int(report.count(results, "PASS") < options.minimum)
    return int(report.count(results, "FAIL") > 0)
