"""Which of the entries that Amity exports the suite's programs call: their undefined symbols, by `nm`."""

import pathlib
import subprocess

_EXPORTS = pathlib.Path(__file__).resolve().parents[2] / "amity/omp/exports.txt"


def exported() -> list[str]:
    return sorted({line.split("@")[0] for line in _EXPORTS.read_text().split()})


def called(binaries: list[pathlib.Path]) -> set[str]:
    names = set()
    for binary in binaries:
        listed = subprocess.run(["nm", "-D", "--undefined-only", str(binary)], capture_output=True, text=True).stdout
        names |= {line.split()[-1].split("@")[0] for line in listed.splitlines() if line.strip()}
    return names


def report(binaries: list[pathlib.Path]) -> tuple[list[str], list[str]]:
    """Exported names that are called, and those that are not."""
    reached = called(binaries)
    every = exported()
    return [name for name in every if name in reached], [name for name in every if name not in reached]
