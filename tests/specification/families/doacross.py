"""Loops whose iterations wait for one another (15.9.6, 5.2's doacross): random vectors, one to three loops deep, every schedule."""

import random

_TYPES = ("int", "unsigned", "long", "unsigned long")
_SCHEDULES = ("static", "static, 1", "static, 4", "dynamic", "dynamic, 3", "guided", "runtime", "auto")
_NAMES = "ijk"


def _vectors(rng: random.Random, depth: int) -> list[tuple[int, ...]]:
    """Vectors to earlier iterations: the first component that is not zero is negative."""
    found = []
    while len(found) < rng.randint(1, 3):
        vector = tuple(rng.randint(-3, 2) for _ in range(depth))
        first = next((c for c in vector if c), 0)
        if first < 0 and vector not in found:
            found.append(vector)
    return found


def _loop(rng: random.Random, number: int, type_: str, schedule: str) -> str:
    depth = rng.randint(1, 3)
    sizes = {1: (120,), 2: (14, 11), 3: (6, 5, 7)}[depth]
    # gcc divides a vector of an unsigned loop by the step as if it were positive.
    steps = [rng.choice((1, 1, 2, -1)) if "unsigned" not in type_ else 1 for _ in range(depth)]
    firsts = [0 if "unsigned" in type_ else rng.choice((0, -50, 7)) for _ in range(depth)]
    vectors = _vectors(rng, depth)
    index = "0"
    for d in range(depth):
        index = f"({index}) * {sizes[d]} + ({_NAMES[d]} - {firsts[d]}) / {steps[d]}"

    def sink(vector: tuple[int, ...]) -> str:
        return ", ".join(f"{_NAMES[d]} {'+' if vector[d] * steps[d] >= 0 else '-'} {abs(vector[d] * steps[d])}"
                         if vector[d] else _NAMES[d] for d in range(depth))

    def known(vector: tuple[int, ...]) -> str:
        """1 if the iteration that the vector leads to is over or is none."""
        inside = " && ".join(f"n{d} + {vector[d]} >= 0 && n{d} + {vector[d]} < {sizes[d]}" for d in range(depth))
        flat = "0"
        for d in range(depth):
            flat = f"({flat}) * {sizes[d]} + n{d} + {vector[d]}"
        return f"!({inside}) || over({flat})"

    text = (f"static void test{number}(void) {{\n  memset(done, 0, sizeof done);\n  wrong = 0;\n#pragma omp parallel\n  {{\n"
            f"#pragma omp for ordered({depth}) schedule({schedule})\n")
    for d in range(depth):
        end, relation = firsts[d] + sizes[d] * steps[d], "<" if steps[d] > 0 else ">"
        text += f"  for ({type_} {_NAMES[d]} = {firsts[d]}; {_NAMES[d]} {relation} {end}; {_NAMES[d]} += {steps[d]})\n"
    text += "  {\n" + "".join(f"    long const n{d} = (long)({_NAMES[d]} - {firsts[d]}) / {steps[d]};\n" for d in range(depth))
    clauses = " ".join(f"depend(sink : {sink(vector)})" for vector in vectors)
    text += f"#pragma omp ordered {clauses}\n"
    text += "".join(f"    if (!({known(vector)})) wrong_at({number});\n" for vector in vectors)
    flat = "0"
    for d in range(depth):
        flat = f"({flat}) * {sizes[d]} + n{d}"
    text += f"    finish_one({flat});\n#pragma omp ordered depend(source)\n  }}\n  }}\n"
    total = 1
    for size in sizes:
        total *= size
    return (text + f"  for (int i = 0; i < {total}; ++i) "
            f"CHECK(done[i] == 1, \"loop {number}: iteration %d ran %d times\", i, done[i]);\n  SAME(wrong, 0);\n}}\n")


def programs():
    for type_ in _TYPES:
        rng = random.Random(type_)
        # gcc 12 widens the negative components of a vector of `unsigned` loops without their sign.
        text = f"// section: 15.9.6\n// compilers: {'clang' if type_ == 'unsigned' else 'gcc clang'}"
        text += """
#include <omp.h>
#include <string.h>
#include "check.h"
static int done[300], wrong;
static int over(long at) {
  int is;
#pragma omp atomic read acquire
  is = done[at];
  return is;
}
static void finish_one(long at) {
#pragma omp atomic update release
  ++done[at];
}
static void wrong_at(int loop) {
  (void)loop;
#pragma omp atomic
  ++wrong;
}
"""
        count = 0
        for schedule in _SCHEDULES:
            for _ in range(2):
                text += _loop(rng, count, type_, schedule)
                count += 1
        calls = "".join(f"  test{i}();\n" for i in range(count))
        text += "int main(void) {\n  omp_set_schedule(omp_sched_dynamic, 2);\n" + calls + "  return finish();\n}\n"
        yield type_.replace(" ", "_"), "c", text
