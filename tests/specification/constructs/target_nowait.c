// section: 13, 15
// options clang: -fopenmp-version=51
//
// A target construct with nowait is a task: the thread that meets it goes on, and may be the one that satisfies its
// dependences.
#include <omp.h>
#include <string.h>

#include "check.h"

enum { n = 300 };

/// What the constructs wait for ends when its event is fulfilled, behind them.
static void fulfilled_by_who_meets_them(void) {
  int x = 0, y = 0, z = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x) shared(x)
    x = 1;
#pragma omp target nowait depend(in : x) map(tofrom : x, y)
    y = x + 1;
#pragma omp target enter data nowait depend(inout : x) map(to : x)
#pragma omp target update nowait depend(inout : x) to(x)
#pragma omp target exit data nowait depend(inout : x) map(from : x)
#pragma omp task depend(in : x) shared(x, z)
    z = x + 2;
    omp_fulfill_event(event);
#pragma omp taskwait
  }
  SAME(x, 1);
  SAME(y, 2);
  SAME(z, 3);
}

/// firstprivate variables have the values that they had there, whenever the region runs.
static void values_of_the_construct(void) {
  int array[n], seen[n], small = 5, sum_seen = 0;
  double wide = 0.5, wide_seen = 0;
  for (int i = 0; i < n; ++i) array[i] = i;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
    int gate = 0;
#pragma omp task detach(event) depend(out : gate) shared(gate)
    gate = 1;
#pragma omp target nowait depend(in                                                              \
                                 : gate) firstprivate(array, small, wide) map(from               \
                                                                              : seen) map(tofrom \
                                                                                          : sum_seen, wide_seen)
    {
      memcpy(seen, array, sizeof seen);
      sum_seen = small;
      wide_seen = wide;
      array[0] = -1;
    }
    for (int i = 0; i < n; ++i) array[i] = -2;
    small = 6;
    wide = 0.25;
    omp_fulfill_event(event);
#pragma omp taskwait
  }
  for (int i = 0; i < n; ++i) SAME(seen[i], i);
  SAME(array[0], -2);
  SAME(sum_seen, 5);
  SAME((int)(wide_seen * 100), 50);
}

/// Many at once, with regions inside, in a taskgroup and without one.
static void many(void) {
  int parts[n];
  memset(parts, 0, sizeof parts);
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < n; ++i) {
      int* const part = &parts[i];
#pragma omp target nowait firstprivate(i) is_device_ptr(part)
      {
        int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
        for (int j = 0; j <= i; ++j) sum += j;
        *part = sum;
      }
    }
    for (int i = 0; i < n; ++i) SAME(parts[i], i * (i + 1) / 2);
  }
  int alone = 1;
#pragma omp target nowait map(tofrom : alone)
  alone += 1;
#pragma omp taskwait
  SAME(alone, 2);
}

int main(void) {
  fulfilled_by_who_meets_them();
  values_of_the_construct();
  many();
  return finish();
}
