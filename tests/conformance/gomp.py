#!/usr/bin/env python3
"""Runs GNU's own libgomp tests for C, C++ and Fortran against a library in libgomp's place.

    tests/conformance/gomp.py --library build/lib/amity --minimum 600

README.md beside this file tells what counts as a test and how each is judged.
"""

import argparse
import pathlib
import shutil
import sys

import compile as compiling
import directives
import sources
import suite
from targets import Targets

_SONAME = "libgomp.so.1"


def arguments() -> argparse.Namespace:
    parser = suite.parser(__doc__.splitlines()[0], _SONAME)
    parser.add_argument("--compiler", default="gcc-12" if shutil.which("gcc-12") else "gcc", help="default %(default)s")
    parser.add_argument("--fortran", default="gfortran-12" if shutil.which("gfortran-12") else "gfortran",
                        help="default %(default)s")
    parser.add_argument("--source", type=pathlib.Path, metavar="TAR", help="GCC's source (default: of gcc-12-source)")
    return suite.parse(parser, _SONAME)


def plans(tree: sources.Tree, options: argparse.Namespace) -> list[tuple[sources.Source, directives.Plan]]:
    selectors = {}
    for language in ("c", "c++"):
        targets = Targets(options.compiler, language)
        selectors[language] = directives.Selectors(targets.triplet, targets.has)
    selectors["fortran"] = selectors["c"]  # the library's targets are the same
    found = []
    for source in tree.tests():
        if not suite.wanted(source.name, options):
            continue
        if source.language == "fortran" and not shutil.which(options.fortran):
            found.append((source, directives.Plan(skip=f"there is no {options.fortran}")))
            continue
        try:
            plan = directives.parse(source.path.read_text(errors="replace"), selectors[source.language], source.language)
        except ValueError as error:
            plan = directives.Plan(skip=f"not understood: {error}")
        if plan.unknown:
            plan.skip = plan.skip or f"not understood: {', '.join(plan.unknown)}"
        elif plan.action != "run":
            plan.skip = plan.skip or f"a test of the compiler: dg-do {plan.action}"
        found.append((source, plan))
    return found


def main() -> int:
    options = arguments()
    tree = sources.unpack(options.source or sources.find_tarball(), options.cache)
    planned = plans(tree, options)
    if options.list:
        suite.print_list(planned)
        return 0
    return suite.run(options, planned, compiling.Compiler(options.compiler, options.fortran, tree, options.cache))


if __name__ == "__main__":
    sys.exit(main())
