/* Something to tell about: a loop, a task that depends on another, a critical section. */
#include <stdio.h>

int main(void) {
  int sum = 0, a = 0, b = 0;
#pragma omp parallel num_threads(2) shared(sum, a, b)
  {
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < 16; ++i) {
#pragma omp critical
      sum += i;
    }
#pragma omp single
    {
#pragma omp task depend(out : a)
      a = sum;
#pragma omp task depend(in : a) depend(out : b)
      b = a + 1;
#pragma omp taskwait
    }
  }
  printf("%d\n", b);
  return b != 121;
}
