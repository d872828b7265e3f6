/* OpenMP that knows nothing of processes: a library of gcc's or clang's for openmp_inside.cpp. */
#include <omp.h>

/* The sum of 0 to n - 1 by a loop, by tasks and by a nested region, and how many threads the loop's team had. */
long sum_by_regions(long n, int* threads) {
  long by_loop = 0, by_tasks = 0, by_nested = 0;
#pragma omp parallel
  {
#pragma omp single
    *threads = omp_get_num_threads();
#pragma omp for reduction(+ : by_loop)
    for (long i = 0; i < n; ++i) by_loop += i;
#pragma omp single
    for (long first = 0; first < n; first += 100) {
#pragma omp task firstprivate(first) shared(by_tasks)
      {
        long part = 0;
        for (long i = first; i < n && i < first + 100; ++i) part += i;
#pragma omp atomic
        by_tasks += part;
      }
    }
#pragma omp barrier
#pragma omp single
    {
#pragma omp parallel for reduction(+ : by_nested) num_threads(2)
      for (long i = 0; i < n; ++i) by_nested += i;
    }
  }
  return by_loop == by_tasks && by_loop == by_nested ? by_loop : -1;
}
