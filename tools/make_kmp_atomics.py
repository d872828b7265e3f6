#!/usr/bin/env python3
"""Writes clang's names for atomic updates, a line each, as amity/omp/kmp/atomic.cpp.

    tools/make_kmp_atomics.py amity/omp/abi/llvm.txt >amity/omp/kmp/atomic.cpp && clang-format-14 -i amity/omp/kmp/atomic.cpp

The names come from the list; what each of them does is in its parts: __kmpc_atomic_<type>_<operation>[_cpt][_rev][_<operand>].
"""

import re
import sys
from pathlib import Path

HEAD = """// clang's names for atomic updates by call. Made by tools/make_kmp_atomics.py of abi/llvm.txt; change that, not this.
#include "amity/omp/kmp/atomic.hpp"

#include "amity/omp/kmp/kmp.hpp"

using namespace amity::omp::kmp;

extern "C" {
"""
TYPES = {f"{kind}{size}{u}": f"{'u' if u else ''}{'int' if kind == 'fixed' else kind}{size}"
         for kind, sizes in {"fixed": "1248", "float": ("4", "8", "10"), "cmplx": ("4", "8", "10")}.items()
         for size in sizes for u in ("", "u")}
NAME = re.compile(r"__kmpc_atomic_(fixed\d+u?|float\d+|cmplx\d+)_([a-z]+)((?:_cpt|_rev)*)(?:_(float8|cmplx8))?")


def line(name):
    match = NAME.fullmatch(name)
    if not match:
        return None  # generic ones, in atomic_generic.cpp
    value = TYPES[match[1]]
    operation, form, operand = match[2], match[3], match[4] or value
    # clang has complex values of 8 bytes returned through an argument.
    through = value == "cmplx4"
    arguments = f"ident*, int, {value}* x"
    if operation == "rd":
        return f"{value} {name}({arguments}) {{ return read(x); }}"
    arguments += f", {operand} v"
    if operation == "wr":
        return f"void {name}({arguments}) {{ update<op::assign>(x, v); }}"
    if operation == "swp":
        if through:
            return f"void {name}({arguments}, {value}* out) {{ *out = capture<op::assign>(x, v, 0); }}"
        return f"{value} {name}({arguments}) {{ return capture<op::assign>(x, v, 0); }}"
    functor = "op::" + ("xor_" if operation == "xor" else operation)
    if "_rev" in form:
        functor = f"op::reversed<{functor}>"
    if "_cpt" not in form:
        return f"void {name}({arguments}) {{ update<{functor}>(x, v); }}"
    if through:
        return f"void {name}({arguments}, {value}* out, int flag) {{ *out = capture<{functor}>(x, v, flag); }}"
    return f"{value} {name}({arguments}, int flag) {{ return capture<{functor}>(x, v, flag); }}"


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    names = sorted({entry.split("@")[0] for entry in Path(arguments[0]).read_text().splitlines()
                    if entry.startswith("__kmpc_atomic_")})
    print(HEAD)
    for name in names:
        text = line(name)
        if text is not None:
            print(text)
    print('\n}  // extern "C"')


if __name__ == "__main__":
    main(sys.argv[1:])
