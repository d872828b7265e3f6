#!/usr/bin/env python3
"""no_code.py COMPILER NM NAME: an empty main with <amity/NAME.hpp> is compiled to code without a function of Amity's."""

import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent.parent


def main(compiler, nm, name):
    with tempfile.TemporaryDirectory() as folder:
        made = f"{folder}/empty.o"
        subprocess.run([compiler, "-std=c++20", "-O2", f"-I{root}", "-c", "-o", made, "-x", "c++", "-"],
                       input=f"#include <amity/{name}.hpp>\nint main() {{}}\n", text=True, check=True)
        listed = subprocess.run([nm, "-C", "--defined-only", made], capture_output=True, text=True, check=True).stdout
    symbols = [line.split(" ", 2)[1:] for line in listed.splitlines()]
    assert ["T", "main"] in symbols, listed
    functions = [words for kind, words in symbols if kind in "tTwW" and "amity::" in words]
    if functions:
        sys.exit(f"<amity/{name}.hpp> leaves {len(functions)} functions in an empty program:\n" + "\n".join(functions[:20]))


if __name__ == "__main__":
    main(*sys.argv[1:])
