/* OpenMP that never ends, in all threads: a library of gcc's or clang's for ends.cpp. */
#include <omp.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static _Atomic long steps;
static void step(void) { atomic_fetch_add_explicit(&steps, 1, memory_order_relaxed); }
static int goes_on(void) { return atomic_load_explicit(&steps, memory_order_relaxed) >= 0; }

static void compute(void) {
  while (goes_on()) step();
}

static void in_region(void) {
#pragma omp parallel
  compute();
}

static void in_loops(void) {
#pragma omp parallel
  while (goes_on()) {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 1000; ++i) step();
  }
}

static void in_tasks(void) {
#pragma omp parallel
#pragma omp single
  while (goes_on()) {
    for (int i = 0; i < 100; ++i) {
#pragma omp task
      step();
    }
#pragma omp taskwait
  }
}

/* One thread has the lock and computes. */
static void in_lock(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  {
    omp_set_lock(&lock);
    compute();
  }
}

/* One thread computes, the others are at the barrier. */
static void at_barrier(void) {
#pragma omp parallel
  if (omp_get_thread_num() == 0) compute();
}

static void in_kernel(void) {
#pragma omp parallel
  while (goes_on()) sleep(600);
}

static void nested(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    compute();
  }
}

void never_end(const char* how) {
  static const struct {
    const char* name;
    void (*run)(void);
  } all[] = {{"region", in_region},   {"loops", in_loops},   {"tasks", in_tasks}, {"lock", in_lock},
             {"barrier", at_barrier}, {"kernel", in_kernel}, {"nested", nested}};
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i)
    if (strcmp(how, all[i].name) == 0) all[i].run();
}
