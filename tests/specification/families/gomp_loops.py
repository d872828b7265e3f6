"""Every GOMP_* entry for loops, called as gcc's code calls it: gcc 4 to 9 emitted many that gcc 12 does not.

`long` and `unsigned long long` times schedule times plain, ordered, doacross, and the combined parallel forms, old (`_start` and
`GOMP_parallel_end`) and new (one call). Against a serial count of the iterations.
"""

_KINDS = ("static", "dynamic", "guided", "runtime", "nonmonotonic_dynamic", "nonmonotonic_guided", "nonmonotonic_runtime",
          "maybe_nonmonotonic_runtime")

_HEAD = """// section: 11.5
// compilers: gcc
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "check.h"
typedef unsigned long long ull;
enum { most = 400 };
static int hits[most], turn, out_of_turn;
void GOMP_ordered_start(void), GOMP_ordered_end(void), GOMP_loop_end(void), GOMP_loop_end_nowait(void), GOMP_parallel_end(void);
bool GOMP_loop_end_cancel(void);
void GOMP_doacross_post(long*), GOMP_doacross_wait(long, ...), GOMP_doacross_ull_post(ull*), GOMP_doacross_ull_wait(ull, ...);
static struct { long first, end, step, chunk; } const cases[] = {
  {0, 100, 1, 1}, {5, 300, 7, 3}, {100, -100, -3, 5}, {0, 0, 1, 1}, {10, 11, 1, 4}, {-300, 90, 1, 50}, {3, -397, -1, 1},
  {0, 35, 1, 1000000}};
enum { number = sizeof cases / sizeof *cases };
static long count_of(int c) {
  long n = 0;
  if (cases[c].step > 0) for (long i = cases[c].first; i < cases[c].end; i += cases[c].step) ++n;
  else for (long i = cases[c].first; i > cases[c].end; i += cases[c].step) ++n;
  return n;
}
static void ran(long k) {
  if (k < 0 || k >= most) k = most - 1;
#pragma omp atomic
  ++hits[k];
}
static void check(char const* what, int c) {
  long const n = count_of(c);
  for (long k = 0; k < most; ++k)
    if (hits[k] != (k < n)) {
      CHECK(0, "%s, case %d: iteration %ld of %ld ran %d times", what, c, k, n, hits[k]);
      break;
    }
  CHECK(!out_of_turn, "%s, case %d: %d out of turn", what, c, out_of_turn);
  memset(hits, 0, sizeof hits);
  turn = out_of_turn = 0;
}
static void ordered_at(long k) {
  GOMP_ordered_start();
  if (turn++ != k) ++out_of_turn;
  GOMP_ordered_end();
}
#define SIGNED_CHUNK(body) for (long i = s; step > 0 ? i < e : i > e; i += step) { long const k = (i - first) / step; body; }
// What an unsigned loop runs over: the same numbers moved up to the upper half of the type.
#define UP(x) ((ull)(x) + (1ull << 63) + 1000)
#define UNSIGNED_CHUNK(body) for (ull i = s; step > 0 ? i < e : i > e; i += (ull)step) { \
long const k = (long)(i - UP(first)) / step; body; }
#define VALUES long const first = cases[c].first, end = cases[c].end, step = cases[c].step, chunk = cases[c].chunk; \
(void)first, (void)end, (void)step, (void)chunk
static int current;
"""


def _sequence(kind: str, ull: bool, ordered: bool) -> tuple[str, str, str]:
    """Declarations, a test's body and its name, for start and next."""
    runtime = "runtime" in kind
    prefix = "GOMP_loop_ull_" if ull else "GOMP_loop_"
    name = prefix + ("ordered_" if ordered else "") + kind
    type_ = "ull" if ull else "long"
    chunk = "" if runtime else f", {type_}"
    declarations = (f"bool {name}_start({'bool, ' if ull else ''}{type_}, {type_}, {type_}{chunk}, {type_}*, {type_}*);\n"
                    f"bool {prefix}{'ordered_' if ordered else ''}{kind}_next({type_}*, {type_}*);\n")
    values = "step > 0, UP(first), UP(end), (ull)step" if ull else "first, end, step"
    body = f"""static void test_{name}(int c) {{
#pragma omp parallel
  {{
    VALUES;
    {type_} s, e;
    if ({name}_start({values}{'' if runtime else ', chunk'}, &s, &e)) do {{
      {'UNSIGNED' if ull else 'SIGNED'}_CHUNK(ran(k){'; ordered_at(k)' if ordered else ''})
    }} while ({name}_next(&s, &e));
    {'GOMP_loop_end();' if ordered or kind != 'guided' else 'GOMP_loop_end_cancel();'}
  }}
  check("{name}", c);
}}
"""
    return declarations, body, f"test_{name}"


def _doacross(kind: str, ull: bool) -> tuple[str, str, str]:
    name = f"GOMP_loop_{'ull_' if ull else ''}doacross_{kind}_start"
    type_, infix = ("ull", "_ull") if ull else ("long", "")
    declarations = f"bool {name}(unsigned, {type_}*{'' if kind == 'runtime' else ', ' + type_}, {type_}*, {type_}*);\n"
    next_ = f"GOMP_loop_{'ull_' if ull else ''}{kind}_next"
    body = f"""static void test_{name}(int c) {{
  long const n = count_of(c);
  static int done[most + 1];
  memset(done, 0, sizeof done);
#pragma omp parallel
  {{
    {type_} counts[1] = {{({type_})n}}, s, e, at[1];
    if ({name}(1, counts{'' if kind == 'runtime' else f', ({type_})(cases[c].chunk)'}, &s, &e)) do {{
      for ({type_} i = s; i < e; ++i) {{
        if (i > 1) {{
          GOMP_doacross{infix}_wait(i - 2);
          int was;
#pragma omp atomic read
          was = done[i - 2];
          if (!was) {{
#pragma omp atomic
            ++out_of_turn;
          }}
        }}
        ran((long)i);
#pragma omp atomic write
        done[i] = 1;
        at[0] = i;
        GOMP_doacross{infix}_post(at);
      }}
    }} while ({next_}(&s, &e));
    GOMP_loop_end();
  }}
  check("{name}", c);
}}
"""
    return declarations, body, f"test_{name}"


def _combined(kind: str, old: bool) -> tuple[str, str, str]:
    runtime = "runtime" in kind
    name = f"GOMP_parallel_loop_{kind}{'_start' if old else ''}"
    declarations = (f"void {name}(void (*)(void*), void*, unsigned, long, long, "
                    f"long{'' if runtime else ', long'}{'' if old else ', unsigned'});\n")
    call = f"{name}(body_{name}, &cookie, 0, first, end, step{'' if runtime else ', chunk'}{'' if old else ', 0'});"
    after = f"\n  body_{name}(&cookie);\n  GOMP_parallel_end();" if old else ""
    body = f"""static void body_{name}(void* data) {{
  VALUES_OF_CURRENT;
  long s, e;
  if (*(int*)data != 4711) ran(most - 1);
  while (GOMP_loop_{kind}_next(&s, &e)) SIGNED_CHUNK(ran(k))
  GOMP_loop_end_nowait();
}}
static void test_{name}(int c) {{
  VALUES;
  int cookie = 4711;
  current = c;
  {call}{after}
  check("{name}", c);
}}
"""
    return declarations, body.replace("VALUES_OF_CURRENT", "int const c = current; VALUES"), f"test_{name}"


_OTHERS = """// section: 10.1
// compilers: gcc
#include <omp.h>
#include <stdbool.h>
#include "check.h"
void GOMP_parallel_start(void (*)(void*), void*, unsigned), GOMP_parallel_end(void);
void GOMP_parallel_sections_start(void (*)(void*), void*, unsigned, unsigned);
unsigned GOMP_sections_start(unsigned), GOMP_sections_next(void);
void GOMP_sections_end(void), GOMP_sections_end_nowait(void), GOMP_atomic_start(void), GOMP_atomic_end(void);
void GOMP_critical_start(void), GOMP_critical_end(void);
void GOMP_critical_name_start(void**), GOMP_critical_name_end(void**), GOMP_barrier(void), GOMP_single_copy_end(void*);
void GOMP_parallel(void (*)(void*), void*, unsigned, unsigned);
bool GOMP_single_start(void), GOMP_barrier_cancel(void), GOMP_sections_end_cancel(void);
void* GOMP_single_copy_start(void);
void GOMP_target(int, void (*)(void*), void const*, __SIZE_TYPE__, void**, __SIZE_TYPE__*, unsigned char*);
void GOMP_target_data(int, void const*, __SIZE_TYPE__, void**, __SIZE_TYPE__*, unsigned char*), GOMP_target_end_data(void);
void GOMP_target_update(int, void const*, __SIZE_TYPE__, void**, __SIZE_TYPE__*, unsigned char*), GOMP_teams(unsigned, unsigned);
static long counter, named;
static int sections[20], singles, copied, wrong;
static void* name;
static void work(void* data) {
  int const threads = *(int*)data;
  for (int i = 0; i < 50; ++i) {
    GOMP_atomic_start();
    ++counter;
    GOMP_atomic_end();
    GOMP_critical_name_start(&name);
    ++named;
    GOMP_critical_name_end(&name);
  }
  if (omp_get_num_threads() != threads) wrong = 1;
  for (unsigned s = GOMP_sections_start(7); s; s = GOMP_sections_next()) sections[s]++;
  GOMP_sections_end();
  for (unsigned s = GOMP_sections_start(7); s; s = GOMP_sections_next()) sections[s]++;
  GOMP_sections_end_cancel();
  if (GOMP_single_start()) ++singles;
  GOMP_barrier();
  static int value;
  int* from = GOMP_single_copy_start();
  if (!from) {
    value = 99;
    GOMP_single_copy_end(&value);
    from = &value;
  }
  GOMP_critical_start();
  copied += *from;
  GOMP_critical_end();
  GOMP_barrier_cancel();
}
static void sections_of(void* data) {
  (void)data;
  for (unsigned s; (s = GOMP_sections_next());) sections[s + 8]++;
  GOMP_sections_end_nowait();
}
static void on_device(void* data) { ++**(int**)data; }
int main(void) {
  for (int threads = 1; threads < 9; ++threads) {
    counter = named = singles = copied = 0;
    for (int i = 0; i < 20; ++i) sections[i] = 0;
    GOMP_parallel_start(work, &threads, threads);
    SAME(omp_in_parallel(), threads > 1);
    work(&threads);
    GOMP_parallel_end();
    SAME(counter, 50 * threads);
    SAME(named, 50 * threads);
    SAME(singles, 1);
    SAME(copied, 99 * threads);
    SAME(wrong, 0);
    for (int s = 1; s < 8; ++s) SAME(sections[s], 2);
    GOMP_parallel_sections_start(sections_of, 0, threads, 5);
    sections_of(0);
    GOMP_parallel_end();
    for (int s = 1; s < 6; ++s) SAME(sections[s + 8], 1);
  }
  int x = 1;
  void* addresses[] = {&x};
  __SIZE_TYPE__ sizes[] = {sizeof x};
  unsigned char kinds[] = {3};
  GOMP_target_data(omp_get_initial_device(), 0, 1, addresses, sizes, kinds);
  GOMP_target_update(omp_get_initial_device(), 0, 1, addresses, sizes, kinds);
  GOMP_target(omp_get_initial_device(), on_device, 0, 1, addresses, sizes, kinds);
  GOMP_target_end_data();
  SAME(x, 2);
  return finish();
}
"""


def programs():
    for ull in (False, True):
        declarations = bodies = ""
        tests = []
        made = [_sequence(kind, ull, False) for kind in _KINDS]
        made += [_sequence(kind, ull, True) for kind in ("static", "dynamic", "guided", "runtime")]
        made += [_doacross(kind, ull) for kind in ("static", "dynamic", "guided", "runtime")]
        if not ull:
            made += [_combined(kind, True) for kind in ("static", "dynamic", "guided", "runtime")]
            made += [_combined(kind, False) for kind in _KINDS]
        for declaration, body, test in made:
            declarations, bodies = declarations + declaration, bodies + body
            tests.append(test)
        main = ("int main(void) {\n  static omp_sched_t const kinds[] = {omp_sched_static, omp_sched_dynamic, "
                "omp_sched_guided, omp_sched_auto};\n")
        main += "  for (int c = 0; c < number; ++c) {\n    omp_set_schedule(kinds[c % 4], c % 3 + 1);\n"
        main += "".join(f"    {test}(c);\n" for test in tests) + "  }\n  return finish();\n}\n"
        yield "ull" if ull else "long", "c", _HEAD + declarations + bodies + main
    yield "others", "c", _OTHERS
