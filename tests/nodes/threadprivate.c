/* threadprivate with copyin over several regions, thread-local arrays, and main()'s copies read by others. */
#include <omp.h>
#include <stdio.h>

static int counter = 1;
#pragma omp threadprivate(counter)
static _Thread_local long local[3000] = {3};

int main(void) {
  int n = omp_get_max_threads(), wrong = 0, right[64] = {0}, kept[64] = {0};
  long* of_main = local;
  for (int round = 0; round < 20; round++) {
    counter = 42 + round;
    local[2999] = round;
#pragma omp parallel copyin(counter)
    {
      int me = omp_get_thread_num();
      right[me] = counter == 42 + round && of_main[2999] == round && (me == 0 || local[2999] == -me * (round > 0));
      if (me != 0) local[2999] = -me;
      counter = 10 * me + round;
    }
#pragma omp parallel
    kept[omp_get_thread_num()] = counter;
    for (int t = 0; t < n; t++) wrong += !right[t] || kept[t] != 10 * t + round;
  }
  puts(wrong ? "failed" : "ok");
  return wrong != 0;
}
