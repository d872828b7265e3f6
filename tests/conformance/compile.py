"""Builds the tests, in parallel, and keeps what it built.

A binary's name is the hash of everything that it was made of (compiler, options, the
whole tree of tests), so a second run builds nothing, and a change builds what it must.
"""

import concurrent.futures
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

import execute
from directives import Plan
from sources import Source, Tree

_COMMON_FLAGS = ["-fmessage-length=0", "-fno-diagnostics-show-caret", "-fdiagnostics-color=never", "-fopenmp"]
_DEFAULT_FLAGS = "-O2"
_TIME_LIMIT = 300


def version_of(command: str) -> str:
    """All that a compiler says of itself, and where it is."""
    return subprocess.run([command, "-v"], capture_output=True, text=True, check=True).stderr + str(shutil.which(command))


def reason_in(errors: str) -> str:
    """The line of a compiler's messages that says why it failed."""
    lines = [line for line in errors.splitlines() if "rror" in line] or errors.splitlines()
    return (lines or ["no message"])[0]


class Compiler:
    def __init__(self, command: str, fortran: str, tree: Tree, cache: pathlib.Path):
        self._command = command
        self._fortran = fortran
        self._tree = tree
        self._folder = cache / "binaries"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._version = version_of(command) + (version_of(fortran) if shutil.which(fortran) else "")

    def arguments(self, source: Source, plan: Plan) -> list[str]:
        """As libgomp.exp puts them together, without the linker's output."""
        folder = source.path.parent
        line = [self._fortran if source.language == "fortran" else self._command]
        line += ["-x", "c++"] if source.language == "c++" else []
        line += [str(source.path), *(str(folder / extra) for extra in plan.additional_sources)]
        line += [f"-I{path}" for path in self._tree.include_folders]
        line += [*_COMMON_FLAGS, *plan.flags(_DEFAULT_FLAGS)]
        return line + [*(["-lstdc++"] if source.language == "c++" else []), "-lm"]

    def binary(self, source: Source, plan: Plan) -> pathlib.Path:
        key = "\0".join([self._version, self._tree.digest, *self.arguments(source, plan)])
        return self._folder / hashlib.sha256(key.encode()).hexdigest()[:32]

    def build(self, source: Source, plan: Plan) -> str:
        """Builds the binary unless it is there. Returns why that failed, or nothing."""
        target = self.binary(source, plan)
        if target.exists():
            return ""
        with tempfile.TemporaryDirectory(dir=self._folder) as scratch:  # dumps of -fdump-* go here
            made = pathlib.Path(scratch) / "a.out"
            try:
                done = subprocess.run(
                    [*self.arguments(source, plan), "-o", str(made)],
                    cwd=scratch, capture_output=True, text=True, errors="replace",
                    timeout=_TIME_LIMIT, env={**os.environ, "LC_ALL": "C", "LANG": "C"},
                )
            except subprocess.TimeoutExpired:
                return f"the compiler took more than {_TIME_LIMIT} s"
            if done.returncode != 0:
                return reason_in(done.stderr)
            made.rename(target)
        return ""

    def programs(self, source: Source, plan: Plan) -> list[pathlib.Path]:
        return [self.binary(source, plan)]

    def run(self, source: Source, plan: Plan, setting: execute.Setting) -> execute.Ending:
        return execute.run(self.binary(source, plan), plan, setting)


def build_all(builder, work: list, jobs: int, progress) -> dict[str, str]:
    """Builds `work`, (source, plan) each; returns what failed: name -> reason."""
    missing = [(source, plan) for source, plan in work if not builder.binary(source, plan).exists()]
    failures = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(builder.build, source, plan): source.name for source, plan in missing}
        for count, future in enumerate(concurrent.futures.as_completed(futures), 1):
            if future.result():
                failures[futures[future]] = future.result()
            progress(count, len(missing))
    return failures
