/* As in NPB's CG: a `single nowait` resets what those who pass it add to. Another member comes first each time, and all
   others are close behind. */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>

static double sum;
static atomic_int first;

int main(void) {
  int wrong = 0, n = omp_get_max_threads();
#pragma omp parallel
  for (int i = 0; i < 300; i++) {
    int me = omp_get_thread_num();
    if (me == i % omp_get_num_threads())
      atomic_store(&first, i + 1);
    else
      while (atomic_load(&first) != i + 1) /* a moment later than the first */
        ;
#pragma omp single nowait
    sum = 0;
    for (volatile int k = 0; k < 3000;
         k++) /* on one node, too, the first one needs a moment to get to its first line */
      ;
#pragma omp for schedule(static, 1) reduction(+ : sum)
    for (int k = 0; k < n; k++) sum += k + 1;
    if (me == 0 && sum != n * (n + 1) / 2.0) wrong++;
#pragma omp barrier
  }
  if (wrong) printf("%d of 300 wrong\n", wrong);
  puts(wrong ? "failed" : "ok");
  return wrong != 0;
}
