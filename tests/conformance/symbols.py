"""What the tests' binaries need of the OpenMP library, and what it lacks."""

import os
import pathlib
import re
import subprocess
import tempfile
from collections import Counter

import execute

_PROBE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
int main(void)
{
  Dl_info info;
  if (omp_get_max_threads() < 1 || !dladdr(dlsym(RTLD_DEFAULT, "omp_get_max_threads"), &info))
    return 1;
  printf("library=%s\\n", info.dli_fname);
  return 0;
}
"""


def library_under_test(compiler: str, setting: execute.Setting) -> tuple[str, str]:
    """Asks a tiny OpenMP program which library it got. Returns (path, "") or ("", why not)."""
    with tempfile.TemporaryDirectory() as folder:
        binary = folder + "/probe"
        subprocess.run(
            [compiler, "-fopenmp", "-x", "c", "-", "-o", binary, "-ldl"], input=_PROBE, text=True, check=True
        )
        status, output = execute.run_limited([*setting.runner, binary], folder, setting.environment({}), setting.time_limit)
    found = re.search(r"^library=(.*)$", output, re.M)
    if status == 0 and found:
        return os.path.realpath(found.group(1)), ""
    return "", f"status {status}: {output.strip()}"


def exported(library: str) -> set[str]:
    """The names that a library gives, NAME@VERSION as `nm` writes them with one @, and NAME."""
    names = set()
    for line in _lines("nm", "-D", "--defined-only", library):
        name = line.split()[-1].replace("@@", "@")
        names |= {name, name.partition("@")[0]}
    return names


def missing(programs: dict[str, list[pathlib.Path]], library: str, soname: str) -> dict[str, list[str]]:
    """Which names that the tests need of `soname` `library` does not export: NAME@VERSION -> the tests that need it."""
    given = exported(library)
    nodes = {name.partition("@")[2] for name in given}
    lacking: dict[str, list[str]] = {}
    for test, binary in ((test, binary) for test, binaries in programs.items() for binary in binaries):
        versions = _versions(binary, soname)
        for line in _lines("nm", "-D", "--undefined-only", str(binary)):
            name = line.split()[-1].replace("@@", "@")
            if name.partition("@")[2] in versions and name not in given:
                lacking.setdefault(name, []).append(test)
        for node in versions - nodes:
            lacking.setdefault(f"the version node {node}", []).append(test)
    return lacking


def table(lacking: dict[str, list[str]]) -> list[str]:
    counts = Counter({name: len(tests) for name, tests in lacking.items()})
    return [f"{count:5d} tests need {name}" for name, count in counts.most_common()]


def _versions(binary: pathlib.Path, soname: str) -> set[str]:
    """The version nodes that a binary requires of a library."""
    versions, file = set(), ""
    for line in _lines("readelf", "--version-info", "--wide", str(binary)):
        if found := re.search(r"File: (\S+)", line):
            file = found.group(1)
        elif (found := re.search(r"Name: (\S+)\s+Flags", line)) and file == soname:
            versions.add(found.group(1))
    return versions


def _lines(*command: str) -> list[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
