#!/usr/bin/env python3
"""errors.py COMPILER SOURCE: compiles a program of this folder and looks at what the compiler says.

The program's comments say what that has to be:

    // options: -std=c++17     besides -std=c++20 -Wall -Werror
    // error: TEXT             the first error has this text in it, and there is no other
    // fine                    there is none, and no warning
    // lines: 20               as many lines at most, 16 unless it is said
"""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent.parent


def said(source, word):
    found = re.search(rf"^// {word}(?:: (.*))?$", source, flags=re.M)
    return None if found is None else found[1] or ""


def main(compiler, path):
    source = pathlib.Path(path).read_text()
    command = [compiler, "-std=c++20", "-Wall", "-Werror", *(said(source, "options") or "").split(), f"-I{root}", "-fsyntax-only",
               path]
    run = subprocess.run(command, capture_output=True, text=True, env={"LC_ALL": "C.UTF-8", "PATH": "/usr/local/bin:/usr/bin:/bin"})
    output = run.stderr
    lines = output.count("\n")
    errors = re.findall(r"error: .*", output)

    wrong = None
    if said(source, "fine") is not None:
        if lines:
            wrong = "it is to compile without a word"
    elif run.returncode == 0:
        wrong = "it is to be refused"
    elif said(source, "error") not in errors[0]:
        wrong = f"the first error is not: {said(source, 'error')}"
    elif len([one for one in errors if "No such file" not in one]) > 1:
        wrong = f"there are {len(errors)} errors, and one is enough"
    elif lines > int(said(source, "lines") or 16):
        wrong = f"{lines} lines are too many"
    if wrong:
        print(output)
        sys.exit(f"{path}: {wrong}")


if __name__ == "__main__":
    main(*sys.argv[1:])
