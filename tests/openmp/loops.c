// Every schedule, type, direction and chunk of worksharing loops: each iteration exactly once, lastprivate from the
// last one.
#include <limits.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { most = 1024 };
static int hits[most];
static int wrong;

static void check(const char* what, long n, int last_right) {
  for (long i = 0; i < most; ++i)
    if (hits[i] != (i < n)) {
      if (wrong++ < 10) printf("%s, %ld iterations: number %ld ran %d times\n", what, n, i, hits[i]);
      break;
    }
  if (!last_right && wrong++ < 10) printf("%s, %ld iterations: lastprivate is not of the last one\n", what, n);
  memset(hits, 0, sizeof hits);
}

#define HIT(k) _Pragma("omp atomic")++ hits[k]

// One loop of each schedule; `i` runs over first, first + step, ... n times.
#define SWEEP(TYPE, NAME)                                                                          \
  static void NAME(TYPE first, TYPE step_up, int down, long n, int chunk) {                        \
    TYPE const end = down ? (TYPE)(first - (TYPE)n * step_up) : (TYPE)(first + (TYPE)n * step_up); \
    TYPE last = 0, i;                                                                              \
    TYPE const expected = n == 0 ? 0 : down ? (TYPE)(end + step_up) : (TYPE)(end - step_up);       \
    LOOPS(TYPE)                                                                                    \
  }
#define ONE(WHAT, CLAUSES)                            \
  last = 0;                                           \
  if (down) {                                         \
    _Pragma("omp parallel") {                         \
            PRAGMA(omp for lastprivate(last) CLAUSES) \
      for (i = first; i > end; i -= step_up) {        \
        HIT((first - i) / step_up);                   \
        last = i;                                     \
      }                                               \
    }                                                 \
  } else {                                            \
    _Pragma("omp parallel") {                         \
            PRAGMA(omp for lastprivate(last) CLAUSES) \
      for (i = first; i < end; i += step_up) {        \
        HIT((i - first) / step_up);                   \
        last = i;                                     \
      }                                               \
    }                                                 \
  }                                                   \
  check(WHAT, n, n == 0 || last == expected);
#define PRAGMA(x) DO_PRAGMA(x)
#define DO_PRAGMA(x) _Pragma(#x)
#define LOOPS(TYPE)                                                     \
  ONE(#TYPE " static", schedule(static))                                \
  ONE(#TYPE " static,c", schedule(static, chunk))                       \
  ONE(#TYPE " dynamic", schedule(dynamic))                              \
  ONE(#TYPE " dynamic,c", schedule(dynamic, chunk))                     \
  ONE(#TYPE " monotonic dynamic", schedule(monotonic : dynamic, chunk)) \
  ONE(#TYPE " guided", schedule(guided))                                \
  ONE(#TYPE " guided,c", schedule(nonmonotonic : guided, chunk))        \
  ONE(#TYPE " auto", schedule(auto))                                    \
  ONE(#TYPE " runtime", schedule(runtime))

SWEEP(int, sweep_int)
SWEEP(unsigned, sweep_unsigned)
SWEEP(long long, sweep_long)
SWEEP(unsigned long long, sweep_ulong)

static void sweep(void) {
  static long const counts[] = {0, 1, 2, 3, 7, 64, 100, 257, 600};  // the last: dynamic chunks in batches
  static int const chunks[] = {1, 3, 100};
  static omp_sched_t const kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto};
  for (unsigned c = 0; c < sizeof counts / sizeof *counts; ++c)
    for (unsigned k = 0; k < sizeof chunks / sizeof *chunks; ++k) {
      long const n = counts[c];
      int const chunk = chunks[k];
      omp_set_schedule(kinds[(c + k) % 4], chunk);
      sweep_int(-50, 3, 0, n, chunk);
      sweep_int(INT_MAX - 10, 7, 1, n, chunk);
      sweep_unsigned(UINT_MAX - 3000, 5, 0, n, chunk);
      // not downwards: gcc hands a variable step of an unsigned int loop over as a large positive number
      sweep_long(5000000000LL, 4000000000LL, 0, n, chunk);
      sweep_long(-5000000000LL, 3, 1, n, chunk);
      sweep_ulong(0xfffffffffff00000ULL, 9, 0, n, chunk);
      sweep_ulong(0xffffffffffffff00ULL, 9, 1, n, chunk);
    }
}

static void ordered_loops(void) {
  for (int kind = 0; kind < 4; ++kind) {
    int next = 0, bad = 0;
    omp_set_schedule((omp_sched_t[]){omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto}[kind],
                     1 + kind);
#pragma omp parallel for ordered schedule(runtime)
    for (int i = 0; i < 200; ++i) {
      if (i % 5 != 3) {  // some iterations have no ordered region
#pragma omp ordered
        {
          bad += next > i;
          next = i;
        }
      }
    }
    if (bad && wrong++ < 10) printf("ordered, schedule %d: out of order\n", kind);
  }
  int seen[100], count = 0;
#pragma omp parallel for ordered schedule(static, 2)
  for (int i = 99; i >= 0; --i)
#pragma omp ordered
    seen[count++] = i;
  for (int i = 0; i < 100; ++i) wrong += seen[i] != 99 - i;
}

static void collapsed_and_nowait(void) {
  static int grid[13][7][5];
#pragma omp parallel
  {
#pragma omp for collapse(3) schedule(dynamic, 2) nowait
    for (int i = 0; i < 13; ++i)
      for (int j = 0; j < 7; ++j)
        for (int k = 0; k < 5; ++k) ++grid[i][j][k];
    // many nowait loops in a row: threads may be several of them apart
    for (int r = 0; r < 40; ++r)
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 11; ++i)
#pragma omp atomic
        ++hits[i];
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 11; ++i)
#pragma omp atomic
      hits[i] -= 39;
  }
  for (int i = 0; i < 13 * 7 * 5; ++i) wrong += (&grid[0][0][0])[i] != 1;
  check("nowait loops", 11, 1);
}

// The standard wants the same run-sched-var in all threads. Where a program fails in that, some thread's holds for all.
static void schedules_that_differ(void) {
  for (int round = 0; round < 30; ++round)
#pragma omp parallel
  {
    int const me = omp_get_thread_num();
    omp_set_schedule((omp_sched_t[]){omp_sched_dynamic, omp_sched_static, omp_sched_guided}[(me + round) % 3], 1 + me);
#pragma omp for schedule(runtime)
    for (int i = 0; i < 100; ++i) HIT(i);
#pragma omp single
    check("schedules that differ", 100, 1);
  }
}

// The members that are there do all that there is to do: a member comes only when the loop is over, whichever it is,
// and however few chunks there are.
static void a_member_is_late(void) {
  for (int threads = 2; threads <= 6; ++threads)
    for (int late = 0; late < threads; ++late)
      for (int n = 1; n <= threads; ++n) {
        int done = 0, last = 0;
#pragma omp parallel num_threads(threads)
        {
          int seen = omp_get_thread_num() == late && omp_get_num_threads() > 1 ? 0 : n;
          while (seen < n) {
            sched_yield();
#pragma omp atomic read
            seen = done;
          }
#pragma omp for schedule(dynamic) nowait lastprivate(last)
          for (int i = 0; i < n; ++i) {
            HIT(i);
            last = i;
#pragma omp atomic
            ++done;
          }
        }
        check("a late member", n, last == n - 1);
      }
}

// As many chunks as members, some more and some less, again and again.
static void few_chunks(void) {
  int const sizes[] = {1, 2, 3, 4, 63, 64, 65, 66};
  for (int t = 0; t < 8; ++t)
    for (int c = 0; c < 8; ++c)
      for (int chunk = 1; chunk <= 3; ++chunk) {
        int const n = sizes[c] * chunk - chunk / 2;
        int last = 0;
#pragma omp parallel num_threads(sizes[t])
        for (int round = 0; round < 10; ++round) {
#pragma omp for schedule(dynamic, chunk) lastprivate(last) nowait
          for (int i = 0; i < n; ++i) {
            HIT(i);
            last = i + round;
          }
#pragma omp barrier
#pragma omp single
          check("few chunks", n, last == n - 1 + round);
        }
      }
}

int main(void) {
  sweep();
  a_member_is_late();
  few_chunks();
  schedules_that_differ();
  ordered_loops();
  collapsed_and_nowait();
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
