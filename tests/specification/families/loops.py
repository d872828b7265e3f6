"""Worksharing loops (11.5): schedule, chunk, type, direction, step, bounds at the type's ends, nowait, ordered, collapse.

A program is of one type and one schedule; its table holds cases drawn from the rest of the product. Beside "each iteration once,
lastprivate from the last" it checks what the standard says of the schedule: what each thread gets of `static`, that chunks stay
whole, that `monotonic` is.
"""

import random

_TYPES = {  # name: C type, bits, signed
    "int": ("int", 32, True),
    "unsigned": ("unsigned", 32, False),
    "long": ("long long", 64, True),
    "ulong": ("unsigned long long", 64, False),
    "short": ("short", 16, True),
    "uchar": ("unsigned char", 8, False),
}
# Name: clause without chunk or None, whether it takes a chunk, whether ordered may stand beside it.
_SCHEDULES = {
    "none": (None, False, True),
    "static": ("static", False, True),
    "static_chunk": ("static", True, True),
    "monotonic_static_chunk": ("monotonic:static", True, True),
    "dynamic": ("dynamic", False, True),
    "dynamic_chunk": ("dynamic", True, True),
    "monotonic_dynamic_chunk": ("monotonic:dynamic", True, True),
    "nonmonotonic_dynamic": ("nonmonotonic:dynamic", False, False),
    "nonmonotonic_dynamic_chunk": ("nonmonotonic:dynamic", True, False),
    "guided": ("guided", False, True),
    "guided_chunk": ("guided", True, True),
    "monotonic_guided_chunk": ("monotonic:guided", True, True),
    "nonmonotonic_guided_chunk": ("nonmonotonic:guided", True, False),
    "auto": ("auto", False, True),
    "runtime": ("runtime", False, True),
    "monotonic_runtime": ("monotonic:runtime", False, True),
    "nonmonotonic_runtime": ("nonmonotonic:runtime", False, False),
}
_SMALL_TYPES = ("none", "static_chunk", "dynamic_chunk", "guided", "runtime")  # for types that compilers widen

_HEAD = """// section: 11.5
#include <omp.h>
#include <string.h>
#include "check.h"
typedef {type} T;
// gcc makes the negative step of such a loop a large positive one when it calls the runtime: they end at once.
#if defined(__clang__)
#define GCC_GOES_UP_ONLY 0
#else
#define GCC_GOES_UP_ONLY ((T)-1 > (T)0 && sizeof(T) < 8)
#endif
// gcc's code multiplies the chunk of a static schedule by the number of threads, in the loop's own type; clang's leaves that to
// the runtime.
#if defined(__clang__)
#define BEYOND(most, more) most
#define GCC_WRAPS(chunk, count) 0
#else
#define BEYOND(most, more) more
#define GCC_WRAPS(chunk, count) ((T)-1 > (T)0 && sizeof(T) == 1 && (chunk) * threads + (count) > 255)
#endif
enum {{ most = 600 }};
static int hits[most], owner[most], previous[256], backwards, threads, logged;
static long log_of[most];
static struct {{ T first, end, step; int count; {chunk_type} chunk; int down; int kind; }} const cases[] = {{
{cases}
}};
static omp_sched_t const kinds[] = {{omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto,
  (omp_sched_t)(omp_sched_monotonic | omp_sched_dynamic), (omp_sched_t)(omp_sched_monotonic | omp_sched_guided),
  (omp_sched_t)(omp_sched_monotonic | omp_sched_static)}};

static void hit(long k) {{
  int const me = omp_get_thread_num();
  if (k < 0 || k >= most) k = most - 1;
#pragma omp atomic
  ++hits[k];
  owner[k] = me;
  if (previous[me] > k) {{
#pragma omp atomic write
    backwards = 1;
  }}
  previous[me] = (int)k;
}}
static void prepare(void) {{
  memset(hits, 0, sizeof hits);
  memset(previous, 0, sizeof previous);
  backwards = logged = 0;
}}
static void check(int c, const char* what, T last, long rounds) {{
  int const n = cases[c].count;
  T expected = 0;
  for (int k = 0; k < n; ++k)
    expected = cases[c].down ? cases[c].first - (T)k * cases[c].step : cases[c].first + (T)k * cases[c].step;
  for (int k = 0; k < most; ++k)
    if (hits[k] != (k < n ? rounds : 0)) {{
      CHECK(0, "case %d, %s: iteration %d of %d ran %d times", c, what, k, n, hits[k]);
      return;
    }}
  if (n) CHECK(last == expected, "case %d, %s: lastprivate is %lld", c, what, (long long)last);
}}
static void check_static(int c) {{
  int const n = cases[c].count;
  for (int k = 1; k < n; ++k)
    CHECK(owner[k] == owner[k - 1] || owner[k] > owner[k - 1],
          "case %d: iteration %d of %d went back to thread %d", c, k, n, owner[k]);
  int most_of_one = 0, run = 0;
  for (int k = 0; k < n; ++k) {{
    run = k && owner[k] == owner[k - 1] ? run + 1 : 1;
    if (run > most_of_one) most_of_one = run;
  }}
  CHECK(most_of_one <= (n + threads - 1) / threads,
        "case %d: %d of %d iterations with one thread of %d", c, most_of_one, n, threads);
}}
static void check_static_chunk(int c) {{
  for (int k = 0; k < cases[c].count; ++k)
    CHECK(owner[k] == (int)(k / (unsigned long long)cases[c].chunk % threads),
          "case %d: iteration %d with thread %d", c, k, owner[k]);
}}
static void check_chunks(int c, unsigned long long chunk) {{
  for (int k = 1; k < cases[c].count; ++k)
    CHECK(k % chunk == 0 || owner[k] == owner[k - 1], "case %d: the chunk of iteration %d is torn", c, k);
}}
static void check_monotonic(int c) {{
  CHECK(!backwards, "case %d: a thread went backwards", c);
}}
static void check_order(int c) {{
  CHECK(logged == cases[c].count, "case %d: %d ordered regions", c, logged);
  for (int k = 0; k < logged; ++k) CHECK(log_of[k] == k, "case %d: number %d came as number %ld", c, k, log_of[k]);
}}
"""

_NUMBER_UP = "(long)((i - first) / step)"
_UP, _DOWN = "for (T i = first; i < end; i += step)", "for (T i = first; i > end; i -= step)"
_NUMBER_DOWN = "(long)((first - i) / step)"


def _loop(pragma: str, down: bool, body: str) -> str:
    head = _DOWN if down else _UP
    return f"    {pragma}\n    {head} {{ long const k = {_NUMBER_DOWN if down else _NUMBER_UP}; {body} }}\n"


def _both(pragma: str, body: str) -> str:
    return "  if (cases[c].down) {\n" + _loop(pragma, True, body) + "  } else {\n" + _loop(pragma, False, body) + "  }\n"


def _main(clause: str | None, chunked: bool, ordered: bool) -> str:
    def schedule(modifier: str = "") -> str:
        return "" if clause is None else f" schedule({modifier}{clause}{', cases[c].chunk' if chunked else ''})"

    text = "int main(void) {\n"
    text += "#pragma omp parallel\n#pragma omp single\n  threads = omp_get_num_threads();\n"
    text += "  for (int c = 0; c < (int)(sizeof cases / sizeof *cases); ++c) {\n"
    text += "  if (GCC_GOES_UP_ONLY && cases[c].down) continue;\n"
    if clause is not None and "static" in clause and chunked:
        text += "  if (GCC_WRAPS(cases[c].chunk, cases[c].count)) continue;\n"
    text += "  T const first = cases[c].first, end = cases[c].end, step = cases[c].step;\n  T last = 0;\n"
    text += "  omp_set_schedule(kinds[cases[c].kind], cases[c].chunk > 1000 ? 1000 : (int)cases[c].chunk);\n"
    text += "  prepare();\n" + _both(f"_Pragma(\"omp parallel for lastprivate(last){schedule()}\")", "hit(k); last = i;")
    text += "  check(c, \"combined\", last, 1);\n"
    base = (clause or "").split(":")[-1]
    modifier = (clause or "").split(":")[0] if ":" in (clause or "") else ""
    if base == "static":
        text += "  check_static_chunk(c);\n" if chunked else "  check_static(c);\n"
    if base == "dynamic" and chunked:
        text += "  check_chunks(c, cases[c].chunk);\n"
    if modifier == "monotonic" or base == "static":
        text += "  check_monotonic(c);\n"
    # Three loops without a barrier between them; the last one has its own.
    text += "  prepare(); last = 0;\n#pragma omp parallel\n  {\n"
    one = _both(f"_Pragma(\"omp for nowait{schedule()}\")", "_Pragma(\"omp atomic\") ++hits[k];")
    text += one + one + _both(f"_Pragma(\"omp for lastprivate(last){schedule()}\")",
                              "_Pragma(\"omp atomic\") ++hits[k]; last = i;") + "  }\n"
    text += "  check(c, \"nowait\", last, 3);\n"
    if ordered:
        text += "  prepare(); last = 0;\n"
        text += _both(f"_Pragma(\"omp parallel for ordered lastprivate(last){schedule()}\")",
                      "hit(k); last = i; _Pragma(\"omp ordered\") { log_of[logged] = k; ++logged; }")
        text += "  check(c, \"ordered\", last, 1);\n  check_order(c);\n"
    # Two loops as one: the outer one as it is, the inner one of three.
    text += "  prepare(); last = 0;\n  if (cases[c].down) {\n"
    inner = "for (int j = 5; j > -1; j -= 2) { _Pragma(\"omp atomic\") ++hits[(long)(%s)]; last = i; }"
    for down, number in ((True, "(first - i) / step"), (False, "(i - first) / step")):
        head = _DOWN if down else _UP
        text += f"    _Pragma(\"omp parallel for collapse(2) lastprivate(last){schedule()}\")\n    {head}\n      {inner % number}\n"
        text += "  } else {\n" if down else "  }\n"
    text += "  check(c, \"collapse\", last, 3);\n"
    text += "  }\n  return finish();\n}\n"
    return text


def _literal(value: int, bits: int, signed: bool) -> str:
    if not signed:
        return f"{value}ull" if bits == 64 else f"{value}u"
    if bits == 64:
        return "(-9223372036854775807ll - 1)" if value == -(1 << 63) else f"{value}ll"
    return "(-2147483647 - 1)" if value == -(1 << 31) else str(value)


def _cases(rng: random.Random, bits: int, signed: bool, static_chunk: bool, number: int) -> str:
    lowest, highest = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    widest = (1 << bits - 1) - 1  # what compilers count in without overflow
    rows = []
    while len(rows) < number:
        count = rng.choice((0, 1, 2, 3, 7, 33, 64, 100, 257))
        step = rng.choice((1, 1, 2, 3, 7, widest // (count + 1)))
        down = rng.random() < 0.5
        if step < 1 or (count + 1) * step > widest:  # what a compiler adds up to count the iterations must fit, too
            continue
        span = count * step
        # Past the end, a step must still fit: a compiler may add one to count the iterations.
        low, high = (lowest + step, highest) if down else (lowest, highest - step)
        if high - span < low:
            continue
        at = rng.choice((low, high - span, low + (high - span - low) // 2, max(low, min(0, high - span))))
        first, end = (at + span, at) if down else (at, at + span)
        largest = (1 << min(bits, 32) - 1) - 1
        if static_chunk:  # more than the loop has, up to what the type of the chunk can say
            counted = max(bits, 32)  # a loop of a small type is counted in int
            modest = 300 if bits > 8 else 7
            beyond = [f"BEYOND({(1 << counted - k) - 1}{'ll' if bits == 64 else ''}, {modest})" for k in (1, 2)]
            chunk = rng.choice((1, 2, 3, 7, modest, *beyond))
        else:
            chunk = rng.choice((1, 1, 2, 3, 10, 100, largest, widest // 2 if bits > 32 else 5))
        if rng.random() < 0.1:  # an empty loop: its bounds are the other way round
            first, end, count = (low, low + 100, 0) if down else (high, high - 100, 0)
        f = [_literal(v, bits, signed) for v in (first, end, step)]
        rows.append(f"  {{{f[0]}, {f[1]}, {f[2]}, {count}, {chunk}, {int(down)}, {rng.randrange(7)}}},")
    return "\n".join(rows)


def programs():
    for type_name, (c_type, bits, signed) in _TYPES.items():
        for name, (clause, chunked, ordered) in _SCHEDULES.items():
            if bits < 32 and name not in _SMALL_TYPES:
                continue
            rng = random.Random(f"{type_name} {name}")
            head = _HEAD.format(type=c_type, chunk_type="long long" if bits == 64 else "int",
                                cases=_cases(rng, bits, signed, chunked and 'static' in name, 40))
            yield f"{type_name}.{name}", "c", head + _main(clause, chunked, ordered)
