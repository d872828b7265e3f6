// Worksharing loops. Every iteration is counted by the thread that runs it.
#include <omp.h>

#include "harness.h"

enum { per_thread = 1024 };

static bool loop(long reps) {
  const int n = team.threads;
  clear_slots();
#pragma omp parallel
  {
    const int self = omp_get_thread_num();
    for (long i = 0; i < reps; ++i) {
#pragma omp for schedule(static)
      for (int k = 0; k < n; ++k) {
        delay();
        ++slots[self].count;
      }
    }
  }
  return sum_of_slots() == reps * n;
}

static bool parallel_loop(long reps) {
  const int n = team.threads;
  clear_slots();
  for (long i = 0; i < reps; ++i) {
#pragma omp parallel for schedule(static)
    for (int k = 0; k < n; ++k) {
      delay();
      ++slots[omp_get_thread_num()].count;
    }
  }
  return sum_of_slots() == reps * n;
}

// The schedule is part of the source, not a variable: schedule(runtime) would take another way through the library.
#define CHUNKED_LOOP(name, kind)                    \
  static bool name(long reps) {                     \
    const int n = per_thread * team.threads;        \
    clear_slots();                                  \
    _Pragma("omp parallel") {                       \
      const int self = omp_get_thread_num();        \
      for (long i = 0; i < reps; ++i) {             \
        _Pragma(kind) for (int k = 0; k < n; ++k) { \
          delay();                                  \
          ++slots[self].count;                      \
        }                                           \
      }                                             \
    }                                               \
    return sum_of_slots() == reps * n;              \
  }

CHUNKED_LOOP(static_1, "omp for schedule(static, 1)")
CHUNKED_LOOP(dynamic_1, "omp for schedule(dynamic, 1)")
CHUNKED_LOOP(guided_1, "omp for schedule(guided, 1)")

static double chunked_work(void) { return per_thread * one_each(); }

const struct construct loop_constructs[] = {
    {"for", loop, one_each, 0, 0},
    {"parallel_for", parallel_loop, one_each, 0, 0},
    {"static_1", static_1, chunked_work, 0, 0},
    {"dynamic_1", dynamic_1, chunked_work, 0, 0},
    {"guided_1", guided_1, chunked_work, 0, 0},
    {0},
};
