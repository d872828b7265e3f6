"""Reductions (5.5): every operator and type through each construct that takes the clause, against a serial loop."""

_TYPES = {"schar": "signed char", "ushort": "unsigned short", "int": "int", "unsigned": "unsigned", "long": "long long",
          "ulong": "unsigned long long",
          "float": "float", "double": "double", "long_double": "long double", "complex": "double _Complex", "bool": "_Bool"}
_OPERATORS = {"+": "R += V(k)", "-": "R -= V(k)", "*": "R *= M(k)", "&": "R &= B(k)", "|": "R |= V(k) & 40", "^": "R ^= V(k)",
              "&&": "R = R && A(k)", "||": "R = R || (V(k) > 200)", "max": "R = R < V(k) ? V(k) : R",
              "min": "R = V(k) < R ? V(k) : R"}
_REAL = ("+", "-", "*", "max", "min")  # && of floating point stops gcc 12 with an internal error


def _operators(name: str) -> list[str]:
    if name == "complex":
        return ["+", "*"]
    if name == "bool":
        return ["&&", "||"]
    return list(_REAL) if name in ("float", "double", "long_double") else list(_OPERATORS)


_HEAD = """// section: 5.5
// options clang: -fopenmp-version=51 -latomic
{refused}#include <complex.h>
#include <omp.h>
#include "check.h"
typedef {type} T;
enum {{ n = 210 }};
// Small whole numbers: sums are exact in every order.
static T V(int k) {{ return (T)((k * 37 + 11) % 97); }}
static T M(int k) {{ return (T)(k % 50 == 7 ? 3 : 1); }}
static long long B(int k) {{ return ~(1ll << k % 5); }}
static int A(int k) {{ return k != 300; }}
"""


def _test(number: int, operator: str, start: str, type_name: str) -> str:
    step = _OPERATORS[operator].replace("R", "r")
    element = _OPERATORS[operator].replace("R", "a[k % 3]")
    inscan = operator in ("+", "^")
    text = (f"static void test{number}(void) {{\n  T expected = {start}, r;\n"
            f"  for (int k = 0; k < n; ++k) {{ T r = expected; {step}; expected = r; }}\n")

    def form(what: str, body: str) -> None:
        nonlocal text
        text += f"  r = {start};\n{body}\n  CHECK(r == expected, \"{operator} of {type_name}: {what}\");\n"

    loop = f"for (int k = 0; k < n; ++k) {{ {step}; }}"
    red = f"reduction({operator} : r)"
    form("parallel", f"#pragma omp parallel {red}\n  {{\n#pragma omp for\n  {loop.replace('r', 'r')}\n  }}")
    form("for", f"#pragma omp parallel\n  {{\n#pragma omp for {red} schedule(dynamic, 3)\n  {loop}\n  }}")
    form("for nowait",
         f"#pragma omp parallel\n  {{\n#pragma omp for {red} schedule(guided) nowait\n  {loop}\n#pragma omp barrier\n  }}")
    form("simd", f"#pragma omp simd {red}\n  {loop}")
    form("parallel for simd", f"#pragma omp parallel for simd {red} num_threads(3)\n  {loop}")
    form("sections",
         f"#pragma omp parallel sections {red}\n  {{\n  for (int k = 0; k < 70; ++k) {{ {step}; }}\n#pragma omp section\n"
         f"  for (int k = 70; k < 71; ++k) {{ {step}; }}\n#pragma omp section\n  for (int k = 71; k < n; ++k) {{ {step}; }}\n  }}")
    form("taskloop", f"#pragma omp parallel\n#pragma omp single\n#pragma omp taskloop {red} grainsize(7)\n  {loop}")
    form("taskgroup",
         f"#pragma omp parallel\n#pragma omp single\n#pragma omp taskgroup task_reduction({operator} : r)\n"
         f"  for (int k = 0; k < n; ++k) {{\n"
         f"#pragma omp task in_reduction({operator} : r)\n  {{ {step}; }}\n  }}")
    form("task modifier",
         f"#pragma omp parallel reduction(task, {operator} : r)\n#pragma omp for\n  for (int k = 0; k < n; ++k) {{\n"
         f"#pragma omp task in_reduction({operator} : r)\n  {{ {step}; }}\n  }}")
    form("teams", f"#pragma omp teams num_teams(2) {red}\n#pragma omp distribute parallel for {red}\n  {loop}")
    form("loop", f"#pragma omp parallel\n  {{\n#pragma omp loop {red}\n  {loop}\n  }}")
    text += f"  T a[3] = {{{start}, {start}, {start}}}, e[3] = {{{start}, {start}, {start}}};\n"
    text += (f"  for (int k = 0; k < n; ++k) {{ T* a = e; {element}; }}\n"
             f"#pragma omp parallel for reduction({operator} : a[0 : 3])\n  for (int k = 0; k < n; ++k) {{ {element}; }}\n")
    text += f"  for (int i = 0; i < 3; ++i) CHECK(a[i] == e[i], \"{operator} of {type_name}: array\");\n"
    if inscan and type_name != "complex":
        text += ("  static T before[n], after[n];\n  T running = 0;\n  r = 0;  // clang forgets the value before a scan\n"
                 f"#pragma omp parallel for reduction(inscan, {operator} : r)\n")
        text += (f"  for (int k = 0; k < n; ++k) {{\n    {step};\n#pragma omp scan inclusive(r)\n    after[k] = r;\n  }}\n"
                 f"  CHECK(r == (T)(expected - 3) || \"^\"[0] == '{operator}', \"inscan\");\n")
        text += (f"  r = 0;\n#pragma omp parallel for reduction(inscan, {operator} : r)\n  for (int k = 0; k < n; ++k) {{\n"
                 f"    before[k] = r;\n#pragma omp scan exclusive(r)\n    {step};\n  }}\n")
        text += ("  for (int k = 0; k < n; ++k) {\n    CHECK(before[k] == running, \"exclusive scan at %d\", k);\n"
                 "    { T r = running; " + step + "; running = r; }\n")
        text += f"    CHECK(after[k] == running, \"inclusive scan of {operator} at %d\", k);\n  }}\n"
    return text + "}\n"


_DECLARED = """// section: 5.5.11
#include <omp.h>
#include "check.h"
// An affine map modulo a prime: composing is associative, and commutative for maps of one family.
typedef struct { long factor, sum, count; } affine;
static void compose(affine* a, affine const* b) {
  a->factor = a->factor * b->factor % 1000003;
  a->sum += b->sum;
  a->count += b->count;
}
static void start(affine* a, affine const* original) { a->factor = 1, a->sum = 0, a->count = original->count * 0; }
#pragma omp declare reduction(join : affine : compose(&omp_out, &omp_in)) initializer(start(&omp_priv, &omp_orig))
#pragma omp declare reduction(keep : int : omp_out = omp_out > omp_in ? omp_out : omp_in) initializer(omp_priv = -1)
int main(void) {
  affine serial = {1, 0, 5}, r;
  for (int k = 0; k < 500; ++k) { affine one = {k % 7 + 1, k, 1}; compose(&serial, &one); }
#define SAME_AS_SERIAL(what) CHECK(r.factor == serial.factor && r.sum == serial.sum && r.count == serial.count, what)
  r = (affine){1, 0, 5};
#pragma omp parallel for reduction(join : r) schedule(dynamic, 4)
  for (int k = 0; k < 500; ++k) { affine one = {k % 7 + 1, k, 1}; compose(&r, &one); }
  SAME_AS_SERIAL("parallel for");
  r = (affine){1, 0, 5};
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(join : r)
  for (int k = 0; k < 500; ++k) { affine one = {k % 7 + 1, k, 1}; compose(&r, &one); }
  SAME_AS_SERIAL("taskloop");
  r = (affine){1, 0, 5};
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(join : r)
  for (int k = 0; k < 500; ++k) {
#pragma omp task in_reduction(join : r)
    { affine one = {k % 7 + 1, k, 1}; compose(&r, &one); }
  }
  SAME_AS_SERIAL("taskgroup");
  affine many[4] = {{1, 0, 5}, {1, 0, 5}, {1, 0, 5}, {1, 0, 5}}, expected[4] = {{1, 0, 5}, {1, 0, 5}, {1, 0, 5}, {1, 0, 5}};
  for (int k = 0; k < 500; ++k) { affine one = {k % 7 + 1, k, 1}; compose(&expected[k % 4], &one); }
#pragma omp parallel for reduction(join : many[:4])
  for (int k = 0; k < 500; ++k) { affine one = {k % 7 + 1, k, 1}; compose(&many[k % 4], &one); }
  for (int i = 0; i < 4; ++i)
    CHECK(many[i].factor == expected[i].factor && many[i].count == expected[i].count, "array, element %d", i);
  int top = -1;
#pragma omp parallel for reduction(keep : top)
  for (int k = 0; k < 100; ++k) top = top > (k * 31) % 89 ? top : (k * 31) % 89;
  SAME(top, 88);
  return finish();
}
"""


def programs():
    for name, type_ in _TYPES.items():
        refused = "// refused clang: its back end fails at && of _Bool\n" if name == "bool" else ""
        text, calls = _HEAD.format(type=type_, refused=refused), ""
        for number, operator in enumerate(_operators(name)):
            start = {"min": "100", "&&": "1", "||": "0", "&": "(T)~0ll", "*": "1"}.get(operator, "3")
            text += _test(number, operator, start, name)
            calls += f"  test{number}();\n"
        yield name, "c", text + f"int main(void) {{\n{calls}  return finish();\n}}\n"
    yield "declared", "c", _DECLARED
