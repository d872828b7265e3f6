#include <omp.h>
#include <stdio.h>
int main(void) {
  int n = 0;
#pragma omp parallel reduction(+ : n)
  n++;
  printf("ran with %d\n", n);
  return 0;
}
