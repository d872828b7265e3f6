/* Output comes in the program's order, and once, though several processes print. */
#include <omp.h>
#include <stdio.h>

int main(void) {
  for (int i = 0; i < 3; i++) {
    printf("before %d\n", i);
#pragma omp parallel
    for (int t = 0; t < omp_get_num_threads(); t++) {
      if (omp_get_thread_num() == t) printf("in %d thread %d\n", i, t);
#pragma omp barrier
    }
#pragma omp parallel for ordered schedule(static, 1)
    for (int k = 0; k < 24; k++)
#pragma omp ordered
      printf("turn %d\n", k);
#pragma omp parallel for ordered schedule(dynamic, 2)
    for (int k = 0; k < 24; k++)
#pragma omp ordered
      printf("chunk's turn %d\n", k);
#pragma omp parallel for ordered(1) schedule(static, 2)
    for (int k = 0; k < 24; k++) {
#pragma omp ordered depend(sink : k - 1)
      printf("behind another %d\n", k);
#pragma omp ordered depend(source)
    }
    int next = 0;
#pragma omp parallel for schedule(static, 1)
    for (int k = 0; k < 24; k++)
      for (int mine = 0; mine == 0;) {
#pragma omp critical
        if (next == k) {
          printf("alone %d\n", k);
          next++;
          mine = 1;
        }
      }
#pragma omp parallel
    if (omp_get_thread_num() == omp_get_num_threads() - 1) printf("last of %d\n", i);
    printf("after %d\n", i);
  }
  return 7;
}
