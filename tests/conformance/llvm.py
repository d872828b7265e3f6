#!/usr/bin/env python3
"""Runs LLVM's own tests of its OpenMP runtime against a library in libomp's place.

    tests/conformance/llvm.py --library build/lib/amity

README.md beside this file tells what counts as a test and how each is judged.
"""

import argparse
import functools
import glob
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import compile as compiling
import directives
import execute
import lit
import sources
import suite

_SONAME = "libomp.so.5"
_PACKAGE = "llvm-toolchain-16"
_TESTS = "openmp/runtime/test"
# What a few tests include beside their own headers: macros that name the processor.
_WANTED = (_TESTS + "/", "openmp/runtime/src/kmp_platform.h")
# The folder that the steps run in, which is another one for building than for running; programs remember a library's path.
_SCRATCH = "."

# Tests of what is libomp's own affair, which neither the standard nor LLVM's documentation promises: skipped, but for --all.
_PRIVATE = {
    "affinity/format/affinity_display.1.c": "the words of libomp's default affinity format",
    "affinity/omp-places-invalid-syntax.c": "the words that libomp prints for KMP_SETTINGS",
    "env/kmp_dispatch_buf_range.c": "the words of libomp's warnings",
    "env/omp_alloc_env_invalid.c": "the words of libomp's warnings",
    "tasking/hidden_helper_task/affinity.cpp": "the words that libomp prints for KMP_HIDDEN_HELPER_AFFINITY=verbose",
    "tasking/hidden_helper_task/gtid.cpp": "the numbers that libomp gives to threads of its own",
}


def arguments() -> argparse.Namespace:
    parser = suite.parser(__doc__.splitlines()[0], _SONAME)
    parser.add_argument("--compiler", default="clang-22" if shutil.which("clang-22") else "clang", help="default %(default)s")
    parser.add_argument("--source", type=pathlib.Path, metavar="TAR", help=f"LLVM's source (default: Debian's {_PACKAGE}, fetched)")
    parser.set_defaults(timeout=300.0)  # four tests sleep for two minutes, and omp_taskyield with two threads for three
    parser.add_argument("--all", action="store_true", help="also the tests of what is private to libomp")
    return suite.parse(parser, _SONAME)


def features(compiler: str) -> set[str]:
    """What the tests may require, as LLVM's lit.cfg and CMake files set it for clang on Linux."""
    version = re.search(r"version (\d+)\.(\d+)\.(\d+)", compiling.version_of(compiler))
    numbers = version.groups() if version else ()
    found = {"linux", "affinity", "hidden-helper", "ompt", "clang", platform.machine() + "-target-arch"}
    found |= {"clang-" + ".".join(numbers[:n]) for n in (1, 2, 3)}
    if platform.machine() == "x86_64":
        found.add("x86-target-arch")
    if (os.cpu_count() or 1) > 1:
        found.add("multicpu")
    return found


@functools.cache
def llvm_tool(name: str) -> str:
    """The newest FileCheck or `not` that is installed, or nothing."""
    def version(path: str) -> int:
        return int(re.search(r"llvm-(\d+)", path).group(1))

    found = sorted(glob.glob(f"/usr/lib/llvm-[0-9]*/bin/{name}"), key=version)
    return found[-1] if found else shutil.which(name) or ""


def tests(root: pathlib.Path) -> list[sources.Source]:
    folder = root / _TESTS
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".c", ".cpp"))
    return [sources.Source(str(path.relative_to(folder)), path, "c++" if path.suffix == ".cpp" else "c") for path in paths]


def plans(root: pathlib.Path, options: argparse.Namespace) -> list[tuple[sources.Source, lit.Plan]]:
    known = features(options.compiler)
    found = []
    for source in tests(root):
        if not suite.wanted(source.name, options):
            continue
        try:
            plan = lit.parse(source.path.read_text(errors="replace"), known)
        except ValueError as error:
            plan = lit.Plan(skip=str(error))
        needed = [tool for tool in ("FileCheck", "not") if re.search(rf"(?<!\S)%?{tool}\s", " ".join(plan.lines))]
        if missing := [tool for tool in needed if not llvm_tool(tool)]:
            plan.skip = plan.skip or f"needs {' and '.join(missing)} (Debian's llvm-16-tools)"
        if not options.all and source.name in _PRIVATE:
            plan.skip = plan.skip or f"private to libomp: {_PRIVATE[source.name]}"
        found.append((source, plan))
    return found


class Builder:
    """Builds and runs tests; keeps what their building steps make."""

    def __init__(self, command: str, root: pathlib.Path, digest: str, cache: pathlib.Path):
        self._command = command
        self._root = root
        self._key = compiling.version_of(command) + digest
        self._folder = cache / "binaries"
        self._folder.mkdir(parents=True, exist_ok=True)

    def steps(self, source: sources.Source, plan: lit.Plan, runner: str = "") -> list[lit.Step]:
        """The order and the contents are those of LLVM's lit.cfg."""
        folder = self._root / _TESTS
        compiler, libraries = lit.COMPILE + self._command, " -lm -latomic"
        flags = f"-I {folder} -fno-omit-frame-pointer -I {folder}/ompt"
        cxx = f"{compiler} --driver-mode=g++ -fopenmp {flags} -std=c++17"
        binary = f"{_SCRATCH}/{source.path.name}.tmp"
        return plan.steps([
            ("%libomp-compile-and-run", "%libomp-compile && %libomp-run"),
            ("%libomp-irbuilder-compile-and-run", "%libomp-irbuilder-compile && %libomp-run"),
            ("%libomp-c99-compile-and-run", "%libomp-c99-compile && %libomp-run"),
            ("%libomp-cxx-compile-and-run", "%libomp-cxx-compile && %libomp-run"),
            ("%libomp-cxx-compile-c", f"{cxx} -x c++ %s -o %t{libraries}"),
            ("%libomp-cxx-compile", f"{cxx} %s -o %t{libraries}"),
            ("%libomp-compile", f"%clang -fopenmp %flags %s -o %t{libraries}"),
            ("%libomp-irbuilder-compile", f"%clang -fopenmp %flags -fopenmp-enable-irbuilder %s -o %t{libraries}"),
            ("%libomp-c99-compile", f"%clang -fopenmp %flags -std=c99 %s -o %t{libraries}"),
            ("%libomp-run", f"{runner} %t".strip()),
            ("%clangXX", f"{compiler} --driver-mode=g++"),
            ("%clang", compiler),
            ("%openmp_flags", "-fopenmp"),
            ("%flags-use-compiler-omp-h", flags),
            ("%flags", flags),
            ("%python", sys.executable),
            ("%not", llvm_tool("not")),
            (r"(?<![\w%/-])FileCheck\b", llvm_tool("FileCheck")),
            ("%sort-threads", "sort -n -s"),
            ("%preload-tool", f"env LD_PRELOAD={_SCRATCH}/tool.so"),
            ("%no-as-needed-flag", "-Wl,--no-as-needed"),
            ("%S", str(source.path.parent)), ("%T", _SCRATCH), ("%s", str(source.path)), ("%t", binary), ("%%", "%"),
        ])

    def binary(self, source: sources.Source, plan: lit.Plan) -> pathlib.Path:
        """The folder of what the test's building steps make: 0, 1, ... in their order."""
        commands = [step.command for step in self.steps(source, plan) if step.output]
        return self._folder / hashlib.sha256("\0".join([self._key, *commands]).encode()).hexdigest()[:32]

    def programs(self, source: sources.Source, plan: lit.Plan) -> list[pathlib.Path]:
        return sorted(self.binary(source, plan).glob("[0-9]*"))

    def build(self, source: sources.Source, plan: lit.Plan) -> str:
        target = self.binary(source, plan)
        with tempfile.TemporaryDirectory(dir=self._folder) as scratch, tempfile.TemporaryDirectory(dir=self._folder) as made:
            for number, step in enumerate(step for step in self.steps(source, plan) if step.output):
                command = f'{step.command} && cp "{step.output}" {made}/{number}'
                done = subprocess.run(["bash", "-c", command], cwd=scratch, capture_output=True, text=True, errors="replace",
                                      env={**os.environ, "LC_ALL": "C"})
                if done.returncode != 0:
                    return compiling.reason_in(done.stderr)
            if not target.exists():
                shutil.copytree(made, target)
        return ""

    def run(self, source: sources.Source, plan: lit.Plan, setting: execute.Setting) -> execute.Ending:
        built = self.binary(source, plan)
        commands, number = [], 0
        for step in self.steps(source, plan, " ".join(setting.runner)):
            if step.output:
                commands.append(f'cp {built}/{number} "{step.output}"')
                number += 1
            else:
                commands.append(step.command)
        with tempfile.TemporaryDirectory() as scratch:
            status, output = execute.run_limited(
                ["bash", "-o", "pipefail", "-c", " &&\n".join(commands)], scratch,
                setting.environment({}), setting.time_limit)
        return execute.judge(status, output, directives.Plan(), setting.time_limit)


def main() -> int:
    options = arguments()
    root, digest = sources.unpack_parts(options.source or sources.fetch_source(_PACKAGE, options.cache), options.cache, _WANTED, {})
    planned = plans(root, options)
    if options.list:
        suite.print_list(planned)
        return 0
    return suite.run(options, planned, Builder(options.compiler, root, digest, options.cache))


if __name__ == "__main__":
    sys.exit(main())
