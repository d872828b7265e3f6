// More threads than carriers, which wait for one another in loops of sched_yield(), as OpenBLAS's do. That switches
// fibers: they take turns on one OS thread, and none needs one of its own.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { threads = 4, regions = 50, phases = 4 };
static struct {
  _Alignas(64) atomic_int at;
  long kernel_thread;
} members[threads];

static void wait_for_all(int me, int phase) {
  atomic_store(&members[me].at, phase);
  for (int other = 0; other < threads; ++other)
    while (atomic_load(&members[other].at) < phase) sched_yield();
}

int main(void) {
  int together = 0;
  for (int region = 0; region < regions; ++region) {
#pragma omp parallel num_threads(threads)
    {
      int const me = omp_get_thread_num();
      for (int phase = 1; phase <= phases; ++phase) wait_for_all(me, region * phases + phase);
      members[me].kernel_thread = syscall(SYS_gettid);
    }
    int same = 1;
    for (int me = 1; me < threads; ++me) same += members[me].kernel_thread == members[0].kernel_thread;
    together += same == threads;
  }
  if (together < regions / 2) printf("wrong: only %d regions of %d ran on one OS thread\n", together, regions);
  puts(together < regions / 2 ? "failed" : "ok");
  return together < regions / 2;
}
