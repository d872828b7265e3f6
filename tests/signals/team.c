// In a team that has to share its OS threads, members make a call while the initial thread waits for a lock. When
// the lock is free, the runtime frees the initial thread's OS thread from the member on top of it. The member's
// call shall not notice. Arguments: threads; optionally the number of one call.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "calls.h"

static int make(int number, int threads) {
  int wrong = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
  {
    int const me = omp_get_thread_num();
    if (me == threads - 1) omp_set_lock(&lock);
#pragma omp barrier
    if (me == threads - 1) {
      double const end = omp_get_wtime() + 0.02;
      while (omp_get_wtime() < end) continue;
      omp_unset_lock(&lock);
    } else if (me == 0) {
      omp_set_lock(&lock);
      omp_unset_lock(&lock);
    }
    if (me != 0 && (me != threads - 1 || threads == 2)) wrong += !call_lasts(number);
  }
  omp_destroy_lock(&lock);
  return wrong;
}

int main(int argc, char** argv) {
  int const threads = argc > 1 ? atoi(argv[1]) : omp_get_max_threads(), only = argc > 2 ? atoi(argv[2]) : -1;
  int wrong = 0;
  for (int i = 0; calls[i].name != NULL; ++i)
    if ((only < 0 || i == only) && !(calls[i].has_thread_mask && threads > 2)) wrong += make(i, threads);
  puts(wrong ? "wrong" : "ok");
  return wrong != 0;
}
