/* Locks of all kinds under contention from all processes: what they guard is counted without an atomic operation. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { locks = 40, rounds = 400 };

struct guarded {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  long by_lock, by_nest, by_test;
  int within;
};

int main(void) {
  int n = omp_get_max_threads(), wrong = 0;
  struct guarded* all = calloc(locks, sizeof *all);
  long named = 0, unnamed = 0, tested = 0;
  for (int i = 0; i < locks; i++) omp_init_lock(&all[i].lock), omp_init_nest_lock(&all[i].nest);
#pragma omp parallel reduction(+ : wrong, tested)
  {
    unsigned seed = (unsigned)omp_get_thread_num() + 1;
    for (int r = 0; r < rounds; r++) {
      struct guarded* g = &all[rand_r(&seed) % locks];
      omp_set_lock(&g->lock);
      wrong += g->within++ != 0;
      g->by_lock++;
      wrong += --g->within != 0;
      omp_unset_lock(&g->lock);

      g = &all[r % locks]; /* all come to the same ones */
      omp_set_nest_lock(&g->nest);
      omp_set_nest_lock(&g->nest);
      wrong += omp_test_nest_lock(&g->nest) != 3;
      g->by_nest++;
      for (int k = 0; k < 3; k++) omp_unset_nest_lock(&g->nest);

      if (omp_test_lock(&g->lock)) {
        wrong += g->within++ != 0;
        g->by_test++;
        tested++;
        wrong += --g->within != 0;
        omp_unset_lock(&g->lock);
      }
#pragma omp critical(a_name)
      named++;
#pragma omp critical
      unnamed++;
    }
  }
  long by_lock = 0, by_nest = 0, by_test = 0;
  for (int i = 0; i < locks; i++) by_lock += all[i].by_lock, by_nest += all[i].by_nest, by_test += all[i].by_test;
  long const due = (long)n * rounds;
  wrong += by_lock != due || by_nest != due || by_test != tested || named != due || unnamed != due;
  /* Free at the end: each can be taken at once by a test. */
  for (int i = 0; i < locks; i++) {
    int free_now = omp_test_lock(&all[i].lock);
    wrong += !free_now;
    if (free_now) omp_unset_lock(&all[i].lock);
    omp_destroy_lock(&all[i].lock), omp_destroy_nest_lock(&all[i].nest);
  }
  if (wrong)
    printf("%d wrong: %ld %ld %ld %ld of %ld; %ld of %ld\n", wrong, by_lock, by_nest, named, unnamed, due, by_test,
           tested);
  puts(wrong ? "failed" : "ok");
  return wrong != 0;
}
