// Tasks made by a thread that holds a mutex which they take: they must not run inside their creation, however short all
// tasks were until then. Nor must those that wait for their maker, as many as other threads could run. (OpenMP promises
// neither; libgomp and libomp keep some hundred tasks apart from their makers.)
#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { rounds = 20, short_depth = 20, short_sum = 6765, made = 64 };

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

static void hold_critical(void (*body)(void)) {
#pragma omp critical
  body();
}
static void hold_named_critical(void (*body)(void)) {
#pragma omp critical(name)
  body();
}
static void hold_lock(void (*body)(void)) {
  omp_set_lock(&lock);
  body();
  omp_unset_lock(&lock);
}
static void hold_tested_lock(void (*body)(void)) {
  while (!omp_test_lock(&lock)) {
  }
  body();
  omp_unset_lock(&lock);
}
static void hold_nest_lock(void (*body)(void)) {
  omp_set_nest_lock(&nest_lock);
  body();
  omp_unset_nest_lock(&nest_lock);
}

static const struct {
  const char* name;
  void (*hold)(void (*body)(void));
} mutexes[] = {
    {"critical", hold_critical},       {"critical(name)", hold_named_critical}, {"lock", hold_lock},
    {"tested lock", hold_tested_lock}, {"nestable lock", hold_nest_lock},
};
enum { mutex_count = sizeof mutexes / sizeof mutexes[0] };

static void (*hold)(void (*body)(void));  // the one of the round
static int inside;                        // by it

static void enter(void) { ++inside; }
static void make(void) {
  inside = 0;
  for (int i = 0; i < made; ++i) {
#pragma omp task
    hold(enter);
  }
}

static int fib(int n) {
  if (n < 2) return n;
  int a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

// As many as there are other threads.
static bool wait_for_maker(void) {
  atomic_int go = 0, gone = 0;
  for (int i = 1; i < omp_get_num_threads(); ++i) {
#pragma omp task shared(go, gone)
    {
      while (!go) {
#pragma omp taskyield
      }
      ++gone;
    }
  }
  go = 1;
#pragma omp taskwait
  return gone == omp_get_num_threads() - 1;
}

int main(void) {
  const char* wrong = NULL;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel
#pragma omp single
    {
      for (int m = 0; m < mutex_count; ++m) {
        if (fib(short_depth) != short_sum) wrong = "fib";
        hold = mutexes[m].hold;
        hold(make);
#pragma omp taskwait
        if (inside != made) wrong = mutexes[m].name;
      }
      if (fib(short_depth) != short_sum) wrong = "fib";
      if (!wait_for_maker()) wrong = "wait for their maker";
    }
  }
  omp_destroy_nest_lock(&nest_lock);
  omp_destroy_lock(&lock);
  if (wrong != NULL)
    printf("wrong: %s\n", wrong);
  else
    printf("ok\n");
  return wrong != NULL;
}
