#include <omp.h>
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
  sum += omp_get_thread_num() + 1;
  printf("sum of a team of 4: %d\n", sum);
  return sum != 10;
}
