/* Cancellation: of loops of all kinds, of sections, and of regions whose members are in all processes, by each member
 * in turn. Those who have not noticed yet meet barriers, singles, ordered and doacross loops that the others don't; all
 * go on together behind it. Needs OMP_CANCELLATION=true. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { iterations = 64, rounds = 12 };

static int wrong = 0;
static int n; /* threads */

static void expect(int is_right, const char* what, int round) {
  if (is_right) return;
  printf("round %d: %s\n", round, what);
  wrong++;
}

/* Some iteration cancels the loop. Members that see it leave; what was run was run once; the next loop is whole. */
#define CANCELLED_LOOP(name, loop)                                                            \
  static void name(int round) {                                                               \
    int times[iterations] = {0}, next[iterations] = {0};                                      \
    int most = 0, cancels_at = (round * 7) % iterations;                                      \
    _Pragma("omp parallel num_threads(n)") {                                                  \
      _Pragma(loop) for (int i = 0; i < iterations; i++) {                                    \
        __atomic_fetch_add(&times[i], 1, __ATOMIC_RELAXED);                                   \
        if (i == cancels_at) {                                                                \
          _Pragma("omp cancel for")                                                           \
        }                                                                                     \
        _Pragma("omp cancellation point for")                                                 \
      }                                                                                       \
      _Pragma("omp for schedule(dynamic, 3)") for (int i = 0; i < iterations; i++) next[i]++; \
    }                                                                                         \
    for (int i = 0; i < iterations; i++) {                                                    \
      if (times[i] > most) most = times[i];                                                   \
      expect(next[i] == 1, #name ": the loop behind it is not whole", round);                 \
    }                                                                                         \
    expect(most == 1, #name ": an iteration was run twice, or none was", round);              \
    expect(times[cancels_at] == 1, #name ": nobody came to cancel", round);                   \
  }

CANCELLED_LOOP(by_static, "omp for schedule(static)")
CANCELLED_LOOP(by_static_chunks, "omp for schedule(static, 2)")
CANCELLED_LOOP(by_dynamic, "omp for schedule(dynamic)")
CANCELLED_LOOP(by_guided, "omp for schedule(guided)")
CANCELLED_LOOP(by_runtime, "omp for schedule(runtime)")

#ifndef __clang__ /* which lets nobody cancel an ordered loop, as the standard says */
#define CANCELLED_ORDERED(name, loop)                                                                   \
  static void name(int round) {                                                                         \
    int last = -1, out_of_order = 0, sum = 0, cancels_at = (round * 7) % iterations;                    \
    _Pragma("omp parallel num_threads(n)") {                                                            \
      _Pragma(loop) for (int i = 0; i < iterations; i++) {                                              \
        _Pragma("omp ordered") {                                                                        \
          if (i <= last) out_of_order++;                                                                \
          last = i;                                                                                     \
        }                                                                                               \
        if (i == cancels_at) {                                                                          \
          _Pragma("omp cancel for")                                                                     \
        }                                                                                               \
      }                                                                                                 \
      _Pragma("omp for reduction(+ : sum)") for (int i = 0; i < iterations; i++) sum += i;              \
    }                                                                                                   \
    expect(out_of_order == 0, #name ": out of order", round);                                           \
    expect(last >= cancels_at, #name ": nobody came to cancel", round);                                 \
    expect(sum == iterations * (iterations - 1) / 2, #name ": the loop behind it is not whole", round); \
  }

CANCELLED_ORDERED(ordered_static, "omp for ordered schedule(static, 2)")
CANCELLED_ORDERED(ordered_dynamic, "omp for ordered schedule(dynamic, 2)")
#endif

/* A loop without a barrier comes before the one that is cancelled, in the same round. */
static void behind_nowait(int round) {
  int before[iterations] = {0}, whole = 0;
#pragma omp parallel num_threads(n)
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < iterations; i++) before[i]++;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < iterations; i++) {
      if (i == round % 5) {
#pragma omp cancel for
      }
    }
#pragma omp for schedule(guided)
    for (int i = 0; i < iterations; i++) {
#pragma omp atomic
      whole++;
    }
  }
  int all = 1;
  for (int i = 0; i < iterations; i++) all &= before[i] == 1;
  expect(all, "nowait: the loop before it was cut", round);
  expect(whole == iterations, "nowait: the loop behind it was cut", round);
}

static void in_sections(int round) {
  int ran = 0, behind = 0;
#pragma omp parallel num_threads(n)
  {
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp atomic
        ran++;
#pragma omp cancel sections
      }
#pragma omp section
      {
#pragma omp cancellation point sections
#pragma omp atomic
        ran++;
      }
#pragma omp section
      {
#pragma omp cancellation point sections
#pragma omp atomic
        ran++;
      }
    }
#pragma omp atomic
    behind++;
  }
  expect(ran >= 1 && ran <= 3, "sections: not run", round);
  expect(behind == n, "sections: not all go on", round);
}

static void with_reduction(int round) {
  int sum = 0, again = 0;
#pragma omp parallel num_threads(n)
  {
#pragma omp for reduction(+ : sum) schedule(static)
    for (int i = 0; i < iterations; i++) {
      sum += 1;
      if (i == round) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp for reduction(+ : again) schedule(dynamic, 4)
    for (int i = 0; i < iterations; i++) again += 1;
  }
  expect(sum <= iterations, "reduction: too much", round);
  expect(again == iterations, "reduction: the one behind it is not whole", round);
}

/* A member cancels the region; the others look for that. */
static void whole_region(int round) {
  int left = 0, passed = 0;
#pragma omp parallel num_threads(n)
  {
    int me = omp_get_thread_num();
    for (int k = 0; k < round % 4; k++) {
#pragma omp barrier
    }
#pragma omp atomic
    left++;
    if (me == round % n) {
#pragma omp cancel parallel
    }
    for (;;) {
#pragma omp cancellation point parallel
    }
#pragma omp atomic
    passed++;
  }
  expect(left == n, "region: somebody was lost", round);
  expect(passed == 0, "region: somebody went on", round);
}

/* Several cancel at once, and all barriers are cancellation points. */
static void by_many(int round) {
  int passed = 0;
#pragma omp parallel num_threads(n)
  {
    if (omp_get_thread_num() % 2 == round % 2) {
#pragma omp cancel parallel
    }
#pragma omp barrier
#pragma omp atomic
    passed++;
  }
  expect(passed == 0 || (n == 1 && round % 2 == 1), "region, by many: somebody passed the barrier", round);
}

/* The others have no cancellation point before the end, and meet what the one that has left does not. */
static void unnoticed(int round) {
  int singles = 0, turns = 0, got = 0, alone = 0;
  int table[iterations + 1] = {0};
#pragma omp parallel num_threads(n)
  {
    int me = omp_get_thread_num(), copy = 0;
    if (me == round % n) {
#pragma omp cancel parallel
    }
    if (round % 3 == 0) {
#pragma omp single nowait
      {
#pragma omp atomic
        singles++;
      }
    }
#pragma omp for ordered schedule(static, 7) nowait
    for (int i = 0; i < iterations; i++) {
#pragma omp ordered
      turns++;
    }
#pragma omp for ordered schedule(static) nowait
    for (int i = 0; i < iterations; i++) {
#pragma omp ordered
      turns++;
    }
#pragma omp for ordered(1) schedule(static) nowait
    for (int i = 1; i <= iterations; i++) {
#pragma omp ordered depend(sink : i - 1)
      table[i] = table[i - 1] + 1;
#pragma omp ordered depend(source)
    }
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < iterations; i++) {
#pragma omp atomic
      alone++;
    }
#pragma omp single copyprivate(copy)
    copy = round + 1;
#pragma omp critical
    got += copy == round + 1;
  }
  expect(singles <= 1, "unnoticed: a single ran twice", round);
  expect(alone <= iterations, "unnoticed: too many chunks", round);
  (void)turns;
}

/* Members of the last process have gone to the end before those of the first come to the loop. */
static void all_of_a_process_are_gone(int round) {
  int turns = 0, table[iterations + 1] = {0};
  int half = n / 2;
#pragma omp parallel num_threads(n)
  {
    int me = omp_get_thread_num();
    int leaves = round % 2 == 0 ? me >= half : me < half;
    if (leaves && n > 1) {
#pragma omp cancel parallel
    }
    if (round % 4 < 2) { /* time for the others to be through */
      double const until = omp_get_wtime() + 2e-3;
      while (omp_get_wtime() < until) continue;
    }
#pragma omp for ordered schedule(static, 2) nowait
    for (int i = 0; i < iterations; i++) {
#pragma omp ordered
      turns++;
    }
#pragma omp for ordered(1) schedule(static, 1) nowait
    for (int i = 1; i <= iterations; i++) {
#pragma omp ordered depend(sink : i - 1)
      table[i] = i;
#pragma omp ordered depend(source)
    }
  }
  expect(turns <= iterations && table[iterations] <= iterations, "gone: too many turns", round);
}

/* Tasks stay in their process: a group that is cancelled is as on one node. */
static void groups(int round) {
  int ran = 0, others = 0;
#pragma omp parallel num_threads(n)
  {
#pragma omp taskgroup
    {
#pragma omp task shared(ran)
        {
#pragma omp cancel taskgroup
        }
#pragma omp task shared(ran)
        {
#pragma omp atomic
            ran++;
  }
}
#pragma omp task shared(others)
{
#pragma omp atomic
  others++;
}
}
expect(ran <= n, "taskgroup: too many tasks", round);
expect(others == n, "taskgroup: a task outside it was dropped", round);
}

/* Whatever was cancelled before, this one is whole. */
static void whole(int round) {
  int all = 0, singles = 0, sum = 0;
#pragma omp parallel num_threads(n) reduction(+ : all)
  {
    all += 1;
#pragma omp single
    singles++;
#pragma omp for schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < iterations; i++) sum += i;
#pragma omp for ordered schedule(static, 8)
    for (int i = 0; i < iterations; i++) {
#pragma omp ordered
      sum += sum == iterations * (iterations - 1) / 2 + i;
    }
  }
  expect(all == n && singles == 1, "a region behind it is not whole", round);
  expect(sum == iterations * (iterations - 1) / 2 + iterations, "loops of a region behind it are not whole", round);
}

int main(void) {
  if (!omp_get_cancellation()) return printf("OMP_CANCELLATION is not true\n"), 1;
  n = omp_get_max_threads();
  for (int r = 0; r < rounds; r++) {
    by_static(r), by_static_chunks(r), by_dynamic(r), by_guided(r), by_runtime(r);
#ifndef __clang__
    ordered_static(r), ordered_dynamic(r);
#endif
    behind_nowait(r), in_sections(r), with_reduction(r);
    whole(r);
    whole_region(r), by_many(r), whole(r);
    unnoticed(r), whole(r);
    all_of_a_process_are_gone(r), whole(r);
    groups(r);
  }
  printf(wrong == 0 ? "ok\n" : "%d wrong\n", wrong);
  return wrong != 0;
}
