// Says how many threads a region of OpenMP has, and one within it.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int outer = 0, inner = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel
#pragma omp single
  {
    outer = omp_get_num_threads();
#pragma omp parallel
#pragma omp single
    inner = omp_get_num_threads();
  }
  printf("%d threads, within %d\n", outer, inner);
  return 0;
}
