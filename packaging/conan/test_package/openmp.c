#include <omp.h>
#include <stdio.h>

int main(void) {
  int n = 0;
#pragma omp parallel num_threads(5) reduction(+ : n)
  ++n;
  printf("%d OpenMP threads\n", n);
  return n == 5 ? 0 : 1;
}
