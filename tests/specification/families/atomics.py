"""The atomic construct (15.8.4): every form, operation, type and memory order, against the same statements without it."""

_TYPES = ("signed char", "unsigned short", "int", "unsigned", "long long", "unsigned long long", "float", "double", "long double")
_ORDERS = ("", "seq_cst", "acq_rel", "relaxed", "release")
_WHOLE = ("+", "-", "*", "/", "&", "|", "^", "<<", ">>")
_REAL = ("+", "-", "*", "/")


def _statements(operation: str) -> list[tuple[str, str]]:
    """(clause, statement) of an update x of v; captures leave what they took in `taken`."""
    forms = [("update", f"x = x {operation} v;"), ("update", f"x {operation}= v;"), ("update", f"x = v {operation} x;"),
             ("capture", f"taken = x {operation}= v;"), ("capture", f"{{ taken = x; x {operation}= v; }}"),
             ("capture", f"{{ x {operation}= v; taken = x; }}"), ("capture", f"{{ taken = x; x = v {operation} x; }}"),
             ("capture", f"{{ x = v {operation} x; taken = x; }}")]
    return forms


def _program(type_: str) -> str:
    real = type_ in ("float", "double", "long double")
    text = (f"// section: 15.8.4\n// options clang: {'-latomic' if type_ == 'long double' else ''}\n#include <omp.h>\n"
            f"#include \"check.h\"\ntypedef {type_} T;\nint main(void) {{\n")
    text += "  static T const xs[] = {1, 7, 40, 3}, vs[] = {1, 2, 3, 5};\n  for (int k = 0; k < 4; ++k) {\n"
    number = 0
    for operation in _REAL if real else _WHOLE:
        for clause, statement in _statements(operation):
            order = _ORDERS[number % len(_ORDERS)]
            number += 1
            if order == "acq_rel" and clause == "update":
                order = "release"
            body = statement
            text += (f"    {{ T x = xs[k], v = vs[k], taken = 0, ex = xs[k], et = 0;\n"
                     f"      {{ T x = ex, taken = 0; {body} ex = x; et = taken; }}\n")
            text += f"#pragma omp atomic {clause} {order}\n      {body}\n"
            text += f"      CHECK(x == ex && taken == et, \"{clause} {order} {statement}\"); }}\n"
    for clause, statement in (("read", "taken = x;"), ("write", "x = v;"), ("capture", "{ taken = x; x = v; }"),
                              ("update", "++x;"), ("update", "x--;"),
                              ("capture", "taken = x++;"), ("capture", "taken = --x;")):
        text += (f"    {{ T x = xs[k], v = vs[k], taken = 0, ex = xs[k], et = 0;\n"
                 f"      {{ T x = ex, taken = 0; {statement} ex = x; et = taken; }}\n")
        text += (f"#pragma omp atomic {clause}\n      {statement}\n"
                 f"      CHECK(x == ex && taken == et, \"{clause} {statement}\"); (void)v; }}\n")
    text += ("  }\n  T sum = 0, product = 1, low = 100, seen = 0;\n  int taken[64] = {0}, last = 0;\n"
             "#pragma omp parallel for schedule(dynamic)\n")
    text += ("  for (int k = 0; k < 60; ++k) {\n#pragma omp atomic\n    sum += 2;\n#pragma omp atomic\n"
             "    product *= k % 20 ? 1 : 2;\n    T mine;\n")
    text += "#pragma omp atomic capture\n    mine = seen++;\n#pragma omp atomic\n    ++taken[(int)mine];\n  }\n"
    text += "  CHECK(sum == 120 && product == 8 && seen == 60, \"by all threads: %g %g\", (double)sum, (double)product);\n"
    text += ("  for (int k = 0; k < 60; ++k) CHECK(taken[k] == 1, \"%d was captured %d times\", k, taken[k]);\n"
             "  (void)low, (void)last;\n")
    return text + "  return finish();\n}\n"


_COMPARE = """// section: 15.8.4
// options clang: -fopenmp-version=51
#include <omp.h>
#include "check.h"
int main(void) {
  int low = 1 << 30, high = -1, swaps = 0, x = 0;
#pragma omp parallel for schedule(dynamic, 3)
  for (int k = 0; k < 500; ++k) {
    int const v = (k * 7919) % 1009;
#pragma omp atomic compare
    low = v < low ? v : low;
#pragma omp atomic compare seq_cst
    if (high < v) { high = v; }
    int old;
#pragma omp atomic compare capture
    { old = x; if (x == 0) { x = k + 1; } }
    if (old == 0) {
#pragma omp atomic
      ++swaps;
    }
  }
  int expected_low = 1 << 30, expected_high = -1;
  for (int k = 0; k < 500; ++k) {
    int const v = (k * 7919) % 1009;
    if (v < expected_low) expected_low = v;
    if (v > expected_high) expected_high = v;
  }
  SAME(low, expected_low);
  SAME(high, expected_high);
  SAME(swaps, 1);
  CHECK(x >= 1 && x <= 500, "the winner is %d", x);
  return finish();
}
"""


def programs():
    for type_ in _TYPES:
        yield type_.replace(" ", "_"), "c", _program(type_)
    yield "compare", "c", _COMPARE
