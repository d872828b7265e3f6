/* Output comes in the program's order, and once, though several processes print. */
#include <omp.h>
#include <stdio.h>

int main(void) {
  for (int i = 0; i < 3; i++) {
    printf("before %d\n", i);
#pragma omp parallel
    for (int t = 0; t < omp_get_num_threads(); t++) {
      if (omp_get_thread_num() == t) {
        printf("in %d thread %d\n", i, t);
        fflush(stdout);
      }
#pragma omp barrier
    }
#pragma omp parallel
    if (omp_get_thread_num() == omp_get_num_threads() - 1) printf("last of %d\n", i);
    printf("after %d\n", i);
  }
  return 7;
}
