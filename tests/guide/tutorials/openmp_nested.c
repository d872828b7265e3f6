// [all]
#include <stdio.h>

int main(void) {
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
#pragma omp parallel reduction(+ : threads)
  ++threads;
  printf("%d threads in the inner regions\n", threads);
}
// [end]
