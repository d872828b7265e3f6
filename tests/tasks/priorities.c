// Tasks with a priority: all run once, whichever queue they go to. Hung once, when a thread's first task had a
// priority.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int done = 0;
  for (int round = 0; round < 20; ++round)
#pragma omp parallel shared(done)
  {
    for (int i = 0; i < 50; ++i)
#pragma omp task priority(i % 4) shared(done)
#pragma omp atomic
      ++done;
#pragma omp taskwait
  }
  int const expected = 20 * 50 * omp_get_max_threads();
  if (done != expected) return printf("%d of %d tasks ran\n", done, expected), 1;
  puts("ok");
}
