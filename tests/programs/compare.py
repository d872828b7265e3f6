"""Says where two runs of one program differ."""

import math
import pathlib
import re

_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")


def texts(own: str, other: str, ignore: str, tolerance: float | None) -> str:
    """Returns a description of the first difference, or nothing."""
    kept = [[line for line in text.splitlines() if not (ignore and re.search(ignore, line))] for text in (own, other)]
    if len(kept[0]) != len(kept[1]):
        return f"{len(kept[0])} lines of standard output with its own runtime, {len(kept[1])} with Amity"
    for number, (a, b) in enumerate(zip(*kept), 1):
        if a != b and not (tolerance is not None and _close(a, b, tolerance)):
            return f"line {number} of standard output: {_short(a)} with its own runtime, {_short(b)} with Amity"
    return ""


def files(own: pathlib.Path, other: pathlib.Path) -> str:
    for path, who in ((own, "its own runtime"), (other, "Amity")):
        if not path.is_file():
            return f"{path.name}: not written with {who}"
    a, b = own.read_bytes(), other.read_bytes()
    if a == b:
        return ""
    if len(a) != len(b):
        return f"{own.name}: {len(a)} bytes with its own runtime, {len(b)} with Amity"
    differing = [i for i in range(len(a)) if a[i] != b[i]]
    return f"{own.name}: {len(differing)} of {len(a)} bytes differ, first at {differing[0]}"


def _close(a: str, b: str, tolerance: float) -> bool:
    if _NUMBER.sub("#", a) != _NUMBER.sub("#", b):
        return False
    pairs = zip(map(float, _NUMBER.findall(a)), map(float, _NUMBER.findall(b)))
    return all(math.isclose(x, y, rel_tol=tolerance, abs_tol=tolerance) for x, y in pairs)


def _short(text: str) -> str:
    return repr(text if len(text) <= 120 else text[:117] + "...")
