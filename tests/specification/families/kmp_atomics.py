"""Atomic updates by call, as clang and Intel's compilers emit or have emitted them: every `__kmpc_atomic_*` that Amity exports.

A name says what it does: __kmpc_atomic_<type>_<operation>[_<type of the operand>][_cpt][_rev]. Each is compared with the same
expression in plain C, for pairs of values; where the order of updates makes no difference, all threads then call it at once and the
result is compared with that of a serial loop.
"""

import re

import coverage

_TYPES = {"fixed1": "signed char", "fixed2": "short", "fixed4": "int", "fixed8": "long long", "fixed1u": "unsigned char",
          "fixed2u": "unsigned short",
          "fixed4u": "unsigned", "fixed8u": "unsigned long long", "float4": "float", "float8": "double", "float10": "long double",
          "cmplx4": "float _Complex", "cmplx8": "double _Complex", "cmplx10": "long double _Complex"}
_EXPRESSIONS = {"add": "{a} + {b}", "sub": "{a} - {b}", "mul": "{a} * {b}", "div": "{a} / {b}", "andb": "{a} & {b}",
                "orb": "{a} | {b}", "xor": "{a} ^ {b}",
                "neqv": "{a} ^ {b}", "eqv": "{a} ^ ~{b}", "shl": "{a} << {b}", "shr": "{a} >> {b}", "andl": "{a} && {b}",
                "orl": "{a} || {b}",
                "min": "{b} < {a} ? {b} : {a}", "max": "{b} > {a} ? {b} : {a}", "rd": "{a}", "wr": "{b}", "swp": "{b}"}
_NAME = re.compile(r"__kmpc_atomic_(fixed[1248]u?|float4|float8|float10|cmplx4|cmplx8|cmplx10)_([a-z]+)"
                   r"(?:_(float8|cmplx8))?(_cpt)?(_rev)?$")
_COMMUTING = ("add", "sub", "andb", "orb", "xor", "neqv", "eqv", "min", "max", "mul", "andl", "orl")

_HEAD = """// section: 15.8.4
// compilers: clang
#include <complex.h>
#include <omp.h>
#include <string.h>
#include "check.h"
static struct { int reserved, flags, more[2]; char const* source; } place = {0, 2, {0, 0}, ";unknown;unknown;0;0;;"};
int __kmpc_global_thread_num(void*);
static int me;
"""


def _values(kind: str, operation: str, operand: str | None) -> list[tuple[str, str]]:
    if operation in ("shl", "shr"):
        return [("3", "2"), ("5", "0"), ("2", "1"), ("1", "6")]  # either may be the count
    if kind.startswith("cmplx"):
        return [("1.0f + 2.0f * I", "3.0f - 1.0f * I"), ("-8.0f + 4.0f * I", "2.0f + 2.0f * I"), ("0.5f * I", "-1.0f")]
    if kind.startswith("float"):
        return [("1.5f", "0.25f"), ("-7.0f", "2.0f"), ("1e20f", "-3.0f"), ("0.0f", "4.0f")]
    if operation in ("andl", "orl"):
        return [("0", "0"), ("5", "0"), ("0", "6"), ("2", "4")]
    if operand:  # what the double gives must fit
        return [("11", "7"), ("-11", "3"), ("10", "1")]
    return [("100", "7"), ("7", "100"), ("-100", "3"), ("-1", "-1"), ("12", "10")] + [("0", "1")] * (operation != "div")


def _one(name: str) -> tuple[str, str]:
    kind, operation, operand, captures, reverse = _NAME.match(name).groups()
    type_, operand_type = _TYPES[kind], _TYPES[operand or kind]
    by_pointer = kind == "cmplx4" and (captures or operation == "swp")  # its result is given through a pointer
    gives = "void" if by_pointer or not (captures or operation in ("rd", "swp")) else type_
    arguments = ["void*", "int", f"{type_}*"] + ([operand_type] if operation != "rd" else [])
    arguments += [f"{type_}*"] * bool(by_pointer) + ["int"] * bool(captures)
    declaration = f"{gives} {name}({', '.join(arguments)});\n"
    body = f"static void test_{name}(void) {{\n"
    template = _EXPRESSIONS[operation]
    same = "x == expected"
    if operation == "div" and kind.startswith("cmplx"):  # compilers divide complex numbers in more than one way
        same = f"cabsl(x - expected) <= {'1e-6' if kind == 'cmplx4' else '1e-14'} * cabsl(expected)"
    # What a shift to the left of a signed value gives is said by its bits alone.
    cast = "(unsigned long long)" if operation == "shl" else ""
    expression = template.format(a=f"{cast}v", b="a") if reverse else template.format(a=f"{cast}a", b="v")
    for a, v in _values(kind, operation, operand):
        for flag in (0, 1) if captures else (0,):
            call = (f"{name}(&place, me, &x" + (", v" if operation != "rd" else "") + (", &out" if by_pointer else "")
                    + (f", {flag}" if captures else "") + ")")
            body += (f"  {{ {type_} const a = ({type_})({a}); {operand_type} const v = ({operand_type})({v}); "
                     f"{type_} x = a, out = 0;\n")
            body += f"    {type_} const expected = ({type_})({expression});\n"
            body += f"    {'out = ' if gives != 'void' else ''}{call};\n"
            body += f"    CHECK({same}, \"{name} of %s and %s\", \"{a}\", \"{v}\");\n"
            if captures:
                body += f"    CHECK(out == {'x' if flag else 'a'}, \"{name} of {a} and {v}: captured\"); }}\n"
            elif operation in ("rd", "swp"):
                body += f"    CHECK(out == a, \"{name} of {a} and {v}: captured\"); }}\n"
            else:
                body += "    (void)out; }\n"
    if operation in _COMMUTING and not reverse:
        low = "k % 3 + 1"
        many = 60 if operation == "mul" else 2000
        if operation == "mul":  # exact whatever the order: powers of two, or modulo 2^n
            low = "k % 50 == 0 ? 2 : 1" if "fixed" not in kind else "2 * (k % 3) + 1"
        if operation == "mul" and operand == "float8":
            many, low = 6, "2"
        body += (f"  {{ {type_} x = 1, expected = 1;\n"
                 f"    for (int k = 0; k < {many}; ++k) {{ {type_} const a = expected; {operand_type} const v = {low}; ")
        body += f"expected = ({type_})({expression}); }}\n"
        call = (f"{name}(&place, __kmpc_global_thread_num(&place), &x, ({operand_type})({low})"
                + (", &out" if by_pointer else "") + (", 1" if captures else "") + ")")
        body += (f"    _Pragma(\"omp parallel for schedule(static, 1)\") for (int k = 0; k < {many}; ++k) {{ "
                 f"{type_} out = 0; (void)out; ")
        body += f"{'out = ' if gives != 'void' else ''}{call}; }}\n"
        body += f"    CHECK(x == expected, \"{name} by all threads\"); }}\n"
    return declaration, body + "}\n"


def _by_function() -> str:
    text = _HEAD
    sizes = {1: "unsigned char", 2: "unsigned short", 4: "float", 8: "double", 10: "long double", 16: "double _Complex",
             20: "long double _Complex", 32: "long double _Complex"}
    for size, type_ in sizes.items():
        text += f"void __kmpc_atomic_{size}(void*, int, void*, void*, void (*)(void*, void*, void*));\n"
        text += (f"static void plus{size}(void* to, void* x, void* v) {{\n"
                 f"  {type_} a, b; memcpy(&a, x, N{size}); memcpy(&b, v, N{size}); a += b; memcpy(to, &a, N{size}); }}\n")
        text = text.replace("static void plus" + str(size),
                            f"enum {{ N{size} = {size} < sizeof({type_}) ? {size} : sizeof({type_}) }};\nstatic void plus{size}", 1)
    for bits, type_ in ((1, "signed char"), (2, "short"), (4, "int"), (8, "long long")):
        text += (f"_Bool __kmpc_atomic_bool_{bits}_cas(void*, int, {type_}*, {type_}, {type_});\n"
                 f"{type_} __kmpc_atomic_val_{bits}_cas(void*, int, {type_}*, {type_}, {type_});\n")
        text += f"_Bool __kmpc_atomic_bool_{bits}_cas_cpt(void*, int, {type_}*, {type_}, {type_}, {type_}*);\n"
        text += f"{type_} __kmpc_atomic_val_{bits}_cas_cpt(void*, int, {type_}*, {type_}, {type_}, {type_}*);\n"
    text += "void __kmpc_atomic_start(void);\nvoid __kmpc_atomic_end(void);\nint main(void) {\n"
    for size, type_ in sizes.items():
        if size == 20:  # packed elsewhere; here twenty bytes of a larger one, of which the first number is whole
            text += ("  { long double x[2] = {1, 2}; long double v[2] = {1, 0};\n#pragma omp parallel for\n"
                     "    for (int k = 0; k < 500; ++k) ")
            text += ("__kmpc_atomic_20(&place, __kmpc_global_thread_num(&place), x, v, plus20);\n"
                     "    CHECK(x[0] == 501, \"__kmpc_atomic_20\"); }\n")
            continue
        text += (f"  {{ {type_} x = 1, one = 1;\n#pragma omp parallel for\n"
                 f"    for (int k = 0; k < 500; ++k) __kmpc_atomic_{size}(&place, __kmpc_global_thread_num(&place), "
                 f"&x, &one, plus{size});\n")
        text += f"    CHECK(x == ({type_})501, \"__kmpc_atomic_{size}\"); }}\n"
    for bits, type_ in ((1, "signed char"), (2, "short"), (4, "int"), (8, "long long")):
        text += f"""  {{ {type_} x = 5, seen = 77;
    CHECK(!__kmpc_atomic_bool_{bits}_cas(&place, __kmpc_global_thread_num(&place), &x, 4, 9) && x == 5,
          "bool_{bits}_cas of another value");
    CHECK(__kmpc_atomic_bool_{bits}_cas(&place, __kmpc_global_thread_num(&place), &x, 5, 9) && x == 9, "bool_{bits}_cas");
    CHECK(__kmpc_atomic_val_{bits}_cas(&place, __kmpc_global_thread_num(&place), &x, 5, 1) == 9 && x == 9,
          "val_{bits}_cas of another value");
    CHECK(__kmpc_atomic_val_{bits}_cas(&place, __kmpc_global_thread_num(&place), &x, 9, 1) == 9 && x == 1, "val_{bits}_cas");
    CHECK(!__kmpc_atomic_bool_{bits}_cas_cpt(&place, __kmpc_global_thread_num(&place), &x, 2, 3, &seen) && seen == 1 && x == 1,
          "bool_{bits}_cas_cpt of another value");
    CHECK(__kmpc_atomic_bool_{bits}_cas_cpt(&place, __kmpc_global_thread_num(&place), &x, 1, 3, &seen) && x == 3,
          "bool_{bits}_cas_cpt");
    __kmpc_atomic_val_{bits}_cas_cpt(&place, __kmpc_global_thread_num(&place), &x, 3, 8, &seen);
    CHECK(x == 8 && seen == 8, "val_{bits}_cas_cpt");
    int won = 0;
    x = 0;
#pragma omp parallel for reduction(+ : won)
    for (int k = 0; k < 100; ++k)
      won += __kmpc_atomic_bool_{bits}_cas(&place, __kmpc_global_thread_num(&place), &x, 0, ({type_})(k + 1));
    CHECK(won == 1 && x >= 1 && x <= 100, "bool_{bits}_cas by all threads: %d won", won); }}
"""
    text += ("  { long both = 0;\n#pragma omp parallel for\n"
             "    for (int k = 0; k < 1000; ++k) { __kmpc_atomic_start(); ++both; __kmpc_atomic_end(); }\n")
    text += "    CHECK(both == 1000, \"__kmpc_atomic_start\"); }\n"
    return text + "  return finish();\n}\n"


def programs():
    names = [name for name in coverage.exported() if _NAME.match(name)]
    for kind in _TYPES:
        declarations, bodies, calls = "", "", ""
        for name in names:
            if _NAME.match(name)[1] != kind:
                continue
            declaration, body = _one(name)
            declarations, bodies, calls = declarations + declaration, bodies + body, calls + f"  test_{name}();\n"
        yield (kind, "c", _HEAD + declarations + bodies + f"int main(void) {{\n  me = __kmpc_global_thread_num(&place);\n"
               f"{calls}  return finish();\n}}\n")
    yield "by_function", "c", _by_function()
