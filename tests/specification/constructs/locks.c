// section: 18.9
#include <omp.h>

#include "check.h"
static omp_lock_t locks[20];
static omp_nest_lock_t nested[5];
static long counters[20], deep[5];
#ifndef __clang__  // libgomp has none with a hint
#define omp_init_lock_with_hint(lock, hint) omp_init_lock(lock)
#define omp_init_nest_lock_with_hint(lock, hint) omp_init_nest_lock(lock)
#endif
static void recurse(int k, int depth) {
  omp_set_nest_lock(&nested[k]);
  ++deep[k];
  if (depth) recurse(k, depth - 1);
  omp_unset_nest_lock(&nested[k]);
}
int main(void) {
  int threads = 0, got = 0, failed = 0, wrong = 0;
  for (int i = 0; i < 20; ++i)
    i % 2 ? omp_init_lock(&locks[i])
          : omp_init_lock_with_hint(&locks[i], i % 4 ? omp_lock_hint_contended : omp_lock_hint_speculative);
  for (int i = 0; i < 5; ++i)
    i % 2 ? omp_init_nest_lock(&nested[i]) : omp_init_nest_lock_with_hint(&nested[i], omp_lock_hint_uncontended);
#pragma omp parallel reduction(+ : got, failed, wrong)
  {
#pragma omp single
    threads = omp_get_num_threads();
    for (int i = 0; i < 300; ++i) {
      int const k = (i * 7 + omp_get_thread_num()) % 20;
      omp_set_lock(&locks[k]);
      ++counters[k];
      omp_unset_lock(&locks[k]);
      if (omp_test_lock(&locks[k])) {
        ++counters[k];
        ++got;
        omp_unset_lock(&locks[k]);
      } else {
        ++failed;
      }
    }
    for (int i = 0; i < 20; ++i) recurse(i % 5, i % 4);
    for (int i = 0; i < 20; ++i) {
      int const first = omp_test_nest_lock(&nested[i % 5]);
      if (first) {
        wrong += first != 1;
        wrong += omp_test_nest_lock(&nested[i % 5]) != 2;
        omp_set_nest_lock(&nested[i % 5]);
        wrong += omp_test_nest_lock(&nested[i % 5]) != 4;
        for (int k = 0; k < 4; ++k) omp_unset_nest_lock(&nested[i % 5]);
      }
    }
  }
  long sum = 0, all = 0;
  for (int i = 0; i < 20; ++i) sum += counters[i];
  for (int i = 0; i < 5; ++i) all += deep[i];
  SAME(got + failed, 300 * threads);
  SAME(sum, 300 * threads + got);
  SAME(all, threads * 50);
  SAME(wrong, 0);
  // A lock belongs to a task, and may be given back by another thread after a barrier.
  omp_set_lock(&locks[0]);
  int free_inside = 1;
#pragma omp parallel num_threads(2) shared(free_inside)
  if (omp_get_thread_num() == 1) free_inside = omp_test_lock(&locks[0]);
  if (threads > 1) SAME(free_inside, 0);
  omp_unset_lock(&locks[0]);
  for (int i = 0; i < 20; ++i) omp_destroy_lock(&locks[i]);
  for (int i = 0; i < 5; ++i) omp_destroy_nest_lock(&nested[i]);
  return finish();
}
