#!/usr/bin/env python3
"""as_it_stands.py COMPILER: the C++ on README.md's first screen compiles without anything around it."""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent.parent


def main(compiler):
    blocks = re.findall(r"^```cpp\n(.*?)^```$", (root / "README.md").read_text(), flags=re.DOTALL | re.MULTILINE)
    assert blocks, "README.md has no C++"
    for block in blocks:
        command = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{root}", "-fsyntax-only", "-x", "c++", "-"]
        if subprocess.run(command, input=block, text=True).returncode != 0:
            sys.exit(f"README.md's C++ does not compile as it stands:\n{block}")


if __name__ == "__main__":
    main(sys.argv[1])
