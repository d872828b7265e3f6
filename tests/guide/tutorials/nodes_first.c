// [program]
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  enum { n = 1 << 20 };
  double* x = malloc(n * sizeof *x);
  double sum = 0;
#pragma omp parallel
  {
#pragma omp single
    printf("%d threads\n", omp_get_num_threads());
#pragma omp for
    for (int i = 0; i < n; ++i) x[i] = 0.5;
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += x[i];
  }
  printf("the sum is %.0f\n", sum);
  free(x);
}
// [end]
