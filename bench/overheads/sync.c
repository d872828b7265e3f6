// Regions, barriers and the constructs that let one thread in at a time.
#include <omp.h>

#include "harness.h"

static bool parallel(long reps) {
  clear_slots();
  for (long i = 0; i < reps; ++i) {
#pragma omp parallel
    {
      delay();
      ++slots[omp_get_thread_num()].count;
    }
  }
  return sum_of_slots() == reps * team.threads;
}

static bool reduction(long reps) {
  long total = 0;
  for (long i = 0; i < reps; ++i) {
    long sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
      delay();
      sum += 1;
    }
    total += sum;
  }
  return total == reps * team.threads;
}

// Each thread writes its step before the barrier and looks at its neighbour's behind it.
static bool barrier(long reps) {
  int wrong = 0;
  clear_slots();
#pragma omp parallel reduction(+ : wrong)
  {
    const int self = omp_get_thread_num();
    const struct slot* neighbour = &slots[(self + 1) % team.threads];
    for (long i = 0; i < reps; ++i) {
      delay();
      __atomic_store_n(&slots[self].count, i + 1, __ATOMIC_RELAXED);
#pragma omp barrier
      const long seen = __atomic_load_n(&neighbour->count, __ATOMIC_RELAXED);
      wrong += seen < i + 1 || seen > i + 2;
    }
  }
  return wrong == 0;
}

static bool single(long reps) {
  long count = 0;
#pragma omp parallel
  for (long i = 0; i < reps; ++i) {
#pragma omp single
    {
      delay();
      ++count;
    }
  }
  return count == reps;
}

static bool critical(long reps) {
  long count = 0;
  const long each = reps / team.threads;
#pragma omp parallel
  for (long i = 0; i < each; ++i) {
#pragma omp critical
    {
      delay();
      ++count;
    }
  }
  return count == each * team.threads;
}

static bool lock(long reps) {
  long count = 0;
  const long each = reps / team.threads;
  omp_lock_t mutex;
  omp_init_lock(&mutex);
#pragma omp parallel
  for (long i = 0; i < each; ++i) {
    omp_set_lock(&mutex);
    delay();
    ++count;
    omp_unset_lock(&mutex);
  }
  omp_destroy_lock(&mutex);
  return count == each * team.threads;
}

static bool atomic(long reps) {
  double sum = 0;
  const long each = reps / team.threads;
#pragma omp parallel
  for (long i = 0; i < each; ++i) {
#pragma omp atomic
    sum += 1;
  }
  return sum == (double)each * team.threads;
}

static bool ordered(long reps) {
  long next = 0;
  long wrong = 0;
#pragma omp parallel for ordered schedule(static, 1)
  for (long i = 0; i < reps; ++i) {
#pragma omp ordered
    {
      delay();
      wrong += next != i;
      ++next;
    }
  }
  return next == reps && wrong == 0;
}

static double none(void) { return 0; }

enum { shared_out = 4 * most_threads };  // so that no thread is left without its share

const struct construct sync_constructs[] = {
    {"parallel", parallel, one_each, 0, 0},
    {"reduction", reduction, one_each, 0, 0},
    {"barrier", barrier, one_each, 0, 0},
    {"single", single, one_alone, 0, 0},
    {"critical", critical, one_alone, 0, shared_out},
    {"lock", lock, one_alone, 0, shared_out},
    {"atomic", atomic, none, 0, shared_out},
    {"ordered", ordered, one_alone, 0, 0},
    {0},
};
