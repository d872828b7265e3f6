// Without OMP_CANCELLATION nothing is cancelled.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int wrong = 0, behind = 0, runs = 0, both = 0, tasks = 0;
  wrong += omp_get_cancellation() != 0;
#pragma omp parallel
  {
#pragma omp cancel parallel
#pragma omp cancellation point parallel
#pragma omp barrier
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; ++i) {
#pragma omp cancel for
#pragma omp cancellation point for
#pragma omp atomic
      ++runs;
    }
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) {
#pragma omp cancel for
#pragma omp atomic
      ++runs;
    }
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp cancel sections
#pragma omp atomic
        ++both;
      }
#pragma omp section
      {
#pragma omp cancellation point sections
#pragma omp atomic
        ++both;
      }
    }
#pragma omp single
#pragma omp taskgroup
    for (int i = 0; i < 10; ++i)
#pragma omp task shared(tasks)
    {
#pragma omp cancel taskgroup
#pragma omp cancellation point taskgroup
#pragma omp atomic
      ++tasks;
    }
#pragma omp atomic
    ++behind;
  }
  wrong += behind != omp_get_max_threads();
  wrong += runs != 200;
  wrong += both != 2;
  wrong += tasks != 10;
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
