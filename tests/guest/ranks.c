// A region, in a process that an MPI launcher may have started.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  sum += 1;
  if (sum != omp_get_max_threads()) return 1;
  puts("ok");
}
