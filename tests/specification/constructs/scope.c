// section: 11.2
// options clang: -fopenmp-version=52
// since clang: 22 19 cannot compile `scope` with 5.2
#include <omp.h>

#include "check.h"
int main(void) {
  int sum = 0, threads = 0, early = 0;
#pragma omp parallel shared(sum, threads)
  {
    int copy = omp_get_thread_num();
#pragma omp scope reduction(+ : sum)
    sum += copy + 1;
#pragma omp single
    threads = omp_get_num_threads();
    if (sum != threads * (threads + 1) / 2) {
#pragma omp atomic
      ++early;
    }
#pragma omp scope nowait private(copy)
    copy = 7;
    if (copy != omp_get_thread_num()) {
#pragma omp atomic
      ++early;
    }
  }
  SAME(early, 0);
  SAME(sum, threads * (threads + 1) / 2);
  return finish();
}
