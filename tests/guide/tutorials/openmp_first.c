// [all]
#include <omp.h>
#include <stdio.h>

int main(void) {
  int const n = 1000000;
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    double const x = (i + 0.5) / n;
    sum += 4 / (1 + x * x);
  }
  printf("pi is %.6f, by %d threads\n", sum / n,
         omp_get_max_threads());
}
// [end]
