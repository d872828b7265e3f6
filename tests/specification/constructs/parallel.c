// section: 10.1
#include <omp.h>
#include <string.h>

#include "check.h"
static int kept = 5;
#pragma omp threadprivate(kept)
int main(void) {
  for (int n = 1; n < 12; ++n) {
    int seen[16] = {0}, copies = 7, private_sum = 0, size = 0, inside = 0;
#pragma omp parallel num_threads(n) firstprivate(copies) reduction(+ : private_sum) shared(seen, size)
    {
#pragma omp atomic
      seen[omp_get_thread_num()]++;
      copies += omp_get_thread_num();
      private_sum += copies;
#pragma omp masked
      size = omp_get_num_threads();
#pragma omp atomic
      inside += omp_in_parallel();
    }
    SAME(size, n);
    SAME(inside, n > 1 ? n : 0);
    for (int i = 0; i < 16; ++i) SAME(seen[i], i < n);
    SAME(private_sum, 7 * n + n * (n - 1) / 2);
    SAME(copies, 7);
  }
  int threads = 0;
#pragma omp parallel if (kept > 100) reduction(+ : threads)
  threads += omp_get_num_threads();
  SAME(threads, 1);
  kept = 42;
  int right = 0, all = 0;
#pragma omp parallel copyin(kept) reduction(+ : right, all)
  {
    right += kept == 42;
    ++all;
    kept = 100 + omp_get_thread_num();
  }
  SAME(right, all);
  right = all = 0;
#pragma omp parallel reduction(+ : right, all)
  {
    right += kept == 100 + omp_get_thread_num();  // the same number of threads: threadprivate variables stay
    ++all;
  }
  SAME(right, all);
  for (int bind = 0; bind < 3; ++bind) {
    int sum = 0;
    if (bind == 0) {
#pragma omp parallel proc_bind(spread) reduction(+ : sum)
      sum += 1;
    } else if (bind == 1) {
#pragma omp parallel proc_bind(close) reduction(+ : sum)
      sum += 1;
    } else {
#pragma omp parallel proc_bind(primary) reduction(+ : sum)
      sum += 1;
    }
    SAME(sum, all);
  }
  int volatile array[3] = {1, 2, 3};
  int big[1000];
  for (int i = 0; i < 1000; ++i) big[i] = i;
  long total = 0;
#pragma omp parallel default(none) firstprivate(big) shared(array) reduction(+ : total) num_threads(3)
  {
    for (int i = 0; i < 1000; ++i) total += big[i] * array[i % 3];
    big[0] = -1;
  }
  long expected = 0;
  for (int t = 0; t < 3; ++t)
    for (int i = 0; i < 1000; ++i) expected += big[i] * array[i % 3];
  SAME(total, expected);
  return finish();
}
