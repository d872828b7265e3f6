"""Compilers and what they made: a program is compiled once for each compiler and kept until anything about it changes."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess

from program import HERE, Program

_CANDIDATES = {
    "gcc": ("gcc-12", "gcc"),
    "clang": ("clang-22", "clang-23", "clang-21", "clang-20", "clang-19", "clang"),
    "gfortran": ("gfortran-12", "gfortran"),
}
_SUFFIX = {"c": ".c", "c++": ".cpp", "fortran": ".f90"}
_WARNINGS = {"gcc": ["-w"], "clang": ["-w"], "gfortran": ["-w"]}


class Compiler:
    def __init__(self, kind: str, command: str, cache: pathlib.Path):
        self.kind = kind
        self.command = command
        self.cache = cache
        self.version = subprocess.run([command, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
        self.major = int(re.search(r"(\d+)\.\d+\.\d+", self.version)[1])

    def binary(self, program: Program) -> pathlib.Path:
        of = [self.version, self.command, str(program.options_for(self.kind)), program.text, (HERE / "check.h").read_text()]
        key = hashlib.sha256("\0".join(of).encode()).hexdigest()[:16]
        return self.cache / f"{program.name.replace('/', '.')}.{self.kind}.{key}"

    def build(self, program: Program) -> str:
        """Compiles the program unless it is there already; returns what the compiler said if it failed."""
        binary = self.binary(program)
        if binary.exists():
            return ""
        source = binary.with_suffix(binary.suffix + _SUFFIX[program.language])
        source.write_text(program.text)
        made = binary.with_suffix(binary.suffix + f".{os.getpid()}")  # another run may be at the same program
        command = [self._driver(program), "-O1", "-g", *_WARNINGS[self.kind], "-fopenmp", f"-I{HERE}", str(source), "-o", str(made),
                   *program.options_for(self.kind), "-lm"]
        if self.kind == "gfortran":
            command.append(f"-J{self.module_folder(made)}")
        done = subprocess.run(command, capture_output=True, text=True)
        shutil.rmtree(made.with_suffix(made.suffix + ".modules"), ignore_errors=True)
        if done.returncode != 0:
            made.unlink(missing_ok=True)
            lines = done.stderr.splitlines()
            said = [line for line in lines if "rror" in line or "undefined" in line] or lines or ["?"]
            return said[0].replace(str(source), program.name)
        made.rename(binary)
        return ""

    @staticmethod
    def module_folder(made: pathlib.Path) -> pathlib.Path:
        folder = made.with_suffix(made.suffix + ".modules")
        folder.mkdir(exist_ok=True)
        return folder

    def _driver(self, program: Program) -> str:
        if program.language != "c++":
            return self.command
        return self.command.replace("clang", "clang++").replace("gcc", "g++")

    def own_runtime(self) -> str:
        """The folder of the runtime that comes with the compiler, where the loader does not look by itself."""
        if self.kind != "clang":
            return ""
        printed = subprocess.run([self.command, "-print-file-name=libomp.so"], capture_output=True, text=True).stdout.strip()
        return os.path.dirname(os.path.realpath(printed)) if os.path.isabs(printed) else ""


def find(kinds: list[str], cache: pathlib.Path) -> dict[str, Compiler]:
    found = {}
    cache.mkdir(parents=True, exist_ok=True)
    for kind in kinds:
        command = next((name for name in _CANDIDATES[kind] if shutil.which(name)), None)
        if command:
            found[kind] = Compiler(kind, command, cache)
    return found
