#!/usr/bin/env python3
"""public_headers.py COMPILER LIST: whichever of the public headers a program includes first, a compiler that is told to use C++17
says once that C++20 is needed, and stops."""

import pathlib
import subprocess
import sys

without_openmp_empty = "amity/omp/future.hpp"
root = pathlib.Path(__file__).resolve().parent.parent.parent


def main(compiler, names):
    headers = pathlib.Path(names).read_text().split()
    assert len(headers) > 100, headers
    for header in headers:
        if header == without_openmp_empty:
            continue
        run = subprocess.run([compiler, "-std=c++17", f"-I{root}", "-fsyntax-only", "-x", "c++", "-"],
                             input=f"#include <{header}>\n",
                             capture_output=True, text=True)
        errors = [line for line in run.stderr.splitlines() if "error: " in line]
        if run.returncode == 0 or len(errors) != 2 or "needs C++20" not in errors[0] or "No such file" not in errors[1]:
            sys.exit(f"<{header}> with -std=c++17:\n{run.stderr[:2000]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
