// section: 5.5.10
// options clang: -fopenmp-version=52
//
// reduction(task, ...) of worksharing constructs, and conditional lastprivate of them: both make gcc set a loop up by
// its most general calls.
#include <omp.h>

#include "check.h"
enum { n = 150 };
#define TASK(k) _Pragma("omp task in_reduction(+ : sum) firstprivate(k)") sum += (long)(k) + 1
int main(void) {
  long const expected = n * (n + 1) / 2;
  long sum = 0;
  unsigned long long const volatile far = 1ull << 63;
  unsigned long long const upper = far;  // beyond what a long counts
#pragma omp parallel
#pragma omp for reduction(task, + : sum) schedule(dynamic, 4)
  for (int k = 0; k < n; ++k) {
    TASK(k);
  }
  SAME(sum, expected);
  sum = 0;
#pragma omp parallel
#pragma omp for reduction(task, + : sum) schedule(guided)
  for (unsigned long long u = upper; u < upper + n; ++u) {
    int const k = (int)(u - upper);
    TASK(k);
  }
  SAME(sum, expected);
  sum = 0;
#pragma omp parallel
#pragma omp for reduction(task, + : sum) schedule(static)
  for (long k = 0; k < n; ++k) {
    TASK(k);
  }
  SAME(sum, expected);
  sum = 0;
  int order[n], at = 0;
#pragma omp parallel
#pragma omp for reduction(task, + : sum) ordered schedule(dynamic)
  for (int k = 0; k < n; ++k) {
    TASK(k);
#pragma omp ordered
    order[at++] = k;
  }
  SAME(sum, expected);
  for (int k = 0; k < n; ++k) SAME(order[k], k);
  sum = at = 0;
#pragma omp parallel
#pragma omp for reduction(task, + : sum) ordered schedule(static, 3)
  for (unsigned long long u = upper; u < upper + n; ++u) {
    int const k = (int)(u - upper);
    TASK(k);
#pragma omp ordered
    order[at++] = (int)k;
  }
  SAME(sum, expected);
  for (int k = 0; k < n; ++k) SAME(order[k], k);
  sum = 0;
  int chain[n];
#pragma omp parallel
#pragma omp for reduction(task, + : sum) ordered(1) schedule(dynamic, 2)
  for (int k = 0; k < n; ++k) {
    TASK(k);
#pragma omp ordered depend(sink : k - 1)
    chain[k] = k ? chain[k - 1] + 2 : 7;
#pragma omp ordered depend(source)
  }
  SAME(sum, expected);
  for (int k = 0; k < n; ++k) SAME(chain[k], 7 + 2 * k);
  sum = 0;
#pragma omp parallel
#pragma omp for reduction(task, + : sum) ordered(1) schedule(static, 1)
  for (unsigned long long u = upper; u < upper + n; ++u) {
    int const k = (int)(u - upper);
    TASK(k);
#pragma omp ordered depend(sink : u - 1)
    chain[k] = k ? chain[k - 1] + 3 : 1;
#pragma omp ordered depend(source)
  }
  SAME(sum, expected);
  for (int k = 0; k < n; ++k) SAME(chain[k], 1 + 3 * k);
  sum = 0;
#pragma omp parallel
#pragma omp sections reduction(task, + : sum)
  {
#pragma omp section
    {
      int k = 5;
      TASK(k);
    }
#pragma omp section
    {
      int k = 6;
      TASK(k);
    }
  }
  SAME(sum, 13);
#ifndef __clang__  // clang 22 has no task modifier of scope
  sum = 0;
  int threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp scope reduction(task, + : sum)
    {
      int k = omp_get_thread_num();
      TASK(k);
    }
  }
  SAME(sum, threads * (threads + 1) / 2);
#endif
#ifndef __clang__  // which forgets them
  int conditional = -1;
#pragma omp parallel for lastprivate(conditional : conditional) schedule(runtime)
  for (unsigned long long k = 0; k < n; ++k)
    if (k % 11 == 4) conditional = (int)k;
  SAME(conditional, 147);
#endif
  // A taskwait that only adds to the graph: what comes after it in the order of dependences waits, the task does not.
  int x = 0, seen = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x) shared(x)
    x = 1;
#ifdef __clang__  // gcc has it from 13 on
#pragma omp taskwait depend(inout : x) nowait
#endif
#pragma omp task depend(in : x) shared(x, seen)
    seen = x;
  }
  SAME(seen, 1);
  // Private copies by an allocator.
  double block[300];
  for (int i = 0; i < 300; ++i) block[i] = i;
  int wrong = 0;
#pragma omp parallel firstprivate(block) allocate(omp_default_mem_alloc : block) reduction(+ : wrong)
  {
    for (int i = 0; i < 300; ++i) block[i] += omp_get_thread_num();
    for (int i = 0; i < 300; ++i) wrong += block[i] != i + omp_get_thread_num();
  }
  SAME(wrong, 0);
  return finish();
}
