#!/usr/bin/env python3
"""Compares the names that a shared library exports with a list.

    tools/check_exports.py LIBRARY LIST

LIST has one name a line: NAME@NODE (kept for old programs), NAME@@NODE (what new programs get), or NAME (no version). Empty lines
and what follows a # don't count. Version nodes themselves (absolute symbols named as their node) are not listed.
"""

import subprocess
import sys
from pathlib import Path


def exported(library):
    command = ["nm", "-D", "--defined-only", "--with-symbol-versions", library]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = set()
    for line in output.splitlines():
        _address, kind, name = line.split(maxsplit=2)
        if kind == "A" and len(set(name.split("@@"))) == 1:  # a version node: "OMP_1.0" or "OMP_1.0@@OMP_1.0"
            continue
        names.add(name)
    return names


def listed(path):
    lines = (line.split("#")[0].strip() for line in Path(path).read_text().splitlines())
    return {line for line in lines if line}


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    library, path = arguments
    have, want = exported(library), listed(path)
    for name in sorted(want - have):
        print(f"{library} lacks {name}, which {path} lists")
    for name in sorted(have - want):
        print(f"{library} exports {name}, which {path} does not list")
    if have == want:
        print(f"{library} exports the {len(want)} names of {path} and no others")
    return 0 if have == want else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
