// An OpenMP program that knows nothing of tools. Its first call of the runtime is the region itself.
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
  sum += 1;
  printf("program: %d\n", sum);
  return 0;
}
