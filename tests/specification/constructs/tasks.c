// section: 12.5
// options clang: -fopenmp-version=51
// environment: OMP_MAX_TASK_PRIORITY=10
// since clang: 22 19 runs one of `masked taskloop` and `master taskloop simd` with no effect
#include <omp.h>

#include "check.h"
static long fib_serial(int n) { return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2); }
static long fib(int n, int last) {
  if (n < 2) return n;
  long a, b;
#pragma omp task shared(a) final(n < 8) mergeable if (n > 3)
  a = fib(n - 1, last);
#pragma omp task shared(b) untied
  b = fib(n - 2, last);
#pragma omp taskwait
  return a + b;
}
static int per_thread;
#pragma omp threadprivate(per_thread)
int main(void) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(18, 0);
  SAME(result, fib_serial(18));
  // firstprivate is of the moment; arrays, large ones too.
  int seen[200] = {0}, final_wrong = 0, undeferred_wrong = 0;
  long sums[40] = {0};
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 200; ++i) {
#pragma omp task firstprivate(i) priority(i % 12) shared(seen)
      seen[i] = i * i;
    }
    int block[1000];
    for (int i = 0; i < 40; ++i) {
      for (int k = 0; k < 1000; ++k) block[k] = i + k;
#pragma omp task firstprivate(block, i) shared(sums) affinity(sums[i])
      for (int k = 0; k < 1000; ++k) sums[i] += block[k];
    }
#pragma omp task final(1) shared(final_wrong)
    {
      if (!omp_in_final()) final_wrong++;
      int x = 0;
#pragma omp task shared(x, final_wrong)
      {
        x = 1;
        if (!omp_in_final()) final_wrong++;
      }
      if (!x) final_wrong++;  // of a final task: included, over by now
    }
    int x = 0;
#pragma omp task if (0) shared(x)
    x = 1;
    if (!x) undeferred_wrong++;
#pragma omp taskyield
  }
  for (int i = 0; i < 200; ++i) SAME(seen[i], i * i);
  for (int i = 0; i < 40; ++i) SAME(sums[i], 1000 * i + 499500);
  SAME(final_wrong, 0);
  SAME(undeferred_wrong, 0);
  // taskwait waits for children, taskgroup for all descendants.
  int children = 0, descendants = 0, at_wait = -1, at_group = -1;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 30; ++i) {
#pragma omp task shared(children)
      {
#pragma omp atomic
        ++children;
      }
    }
#pragma omp taskwait
#pragma omp atomic read
    at_wait = children;
#pragma omp taskgroup
    {
      for (int i = 0; i < 10; ++i) {
#pragma omp task shared(descendants)
        for (int k = 0; k < 5; ++k) {
#pragma omp task shared(descendants)
          {
#pragma omp task shared(descendants)
            {
#pragma omp atomic
              ++descendants;
            }
          }
        }
      }
    }
#pragma omp atomic read
    at_group = descendants;
  }
  SAME(at_wait, 30);
  SAME(at_group, 50);
  // A barrier completes all tasks of the region.
  int before = 0, short_of = 0;
#pragma omp parallel
  {
    for (int round = 1; round < 6; ++round) {
#pragma omp task shared(before)
      {
#pragma omp task shared(before)
        {
#pragma omp atomic
          ++before;
        }
      }
#pragma omp barrier
      int now;
#pragma omp atomic read
      now = before;
      if (now != round * omp_get_num_threads()) {
#pragma omp atomic
        ++short_of;
      }
#pragma omp barrier
    }
  }
  SAME(short_of, 0);
  // taskloop: every iteration once, lastprivate, and the sizes that are asked for.
  for (int n = 0; n < 130; n += 13)
    for (int size = 1; size < 20; size += 6) {
      int hits[130] = {0}, last = -1, tasks = 0;
#pragma omp parallel
#pragma omp single
      {
#pragma omp taskloop grainsize(size) lastprivate(last) shared(hits)
        for (int i = 0; i < n; ++i) hits[i]++, last = i;
#pragma omp taskloop num_tasks(size) shared(hits) nogroup
        for (unsigned long long i = n; i > 0; --i) hits[i - 1]++;
#pragma omp taskwait
#pragma omp taskloop collapse(2) shared(hits) untied priority(3)
        for (int i = 0; i < n; ++i)
          for (long j = 0; j < 2; ++j) {
#pragma omp atomic
            hits[i]++;
          }
#pragma omp taskloop simd grainsize(size) shared(hits) if (n > 40) final(n > 90)
        for (short i = 0; i < (short)n; ++i) hits[i]++;
#pragma omp taskloop num_tasks(strict : size) reduction(+ : tasks)
        for (int i = 0; i < n + size; ++i) tasks += 1;
#pragma omp taskloop grainsize(strict : size) reduction(+ : tasks)
        for (int i = 0; i < n; ++i) tasks += 1;
      }
      for (int i = 0; i < 130; ++i) SAME(hits[i], i < n ? 5 : 0);
      SAME(tasks, 2 * n + size);
      if (n) SAME(last, n - 1);
    }
  int masked = 0;
#pragma omp parallel masked taskloop shared(masked)
  for (int i = 0; i < 50; ++i) {
#pragma omp atomic
    ++masked;
  }
#pragma omp parallel master taskloop simd reduction(+ : masked)
  for (int i = 0; i < 50; ++i) ++masked;
  SAME(masked, 100);
  // detach: the task is over when its event is fulfilled.
  int fulfilled = 0, wrong = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; ++i) {
    int x = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x)
    {}
#pragma omp task firstprivate(event) shared(fulfilled)
    {
#pragma omp atomic
      ++fulfilled;
      omp_fulfill_event(event);
    }
#pragma omp task depend(in : x) shared(wrong, fulfilled)
    {
      int now;
#pragma omp atomic read
      now = fulfilled;
      if (now != i + 1) {
#pragma omp atomic
        ++wrong;
      }
    }
#pragma omp taskwait
  }
  SAME(fulfilled, 50);
  SAME(wrong, 0);
  // A tied task stays on its thread.
  int moved = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 60; ++i) {
#pragma omp task shared(moved)
    {
      int const me = omp_get_thread_num();
      int* const address = &per_thread;
#pragma omp task
      {}
#pragma omp taskyield
#pragma omp taskwait
      if (me != omp_get_thread_num() || address != &per_thread) {
#pragma omp atomic
        ++moved;
      }
    }
  }
  SAME(moved, 0);
  SAME(omp_get_max_task_priority(), 10);
  return finish();
}
