#include "surroundings.h"

#include <omp.h>

#include "common/program.h"

// A chain of dependent multiplications, the same for every compiler, opaque to both. In a register: what a chain
// through memory takes depends on what stands around it, by a fourth and more where the processor forwards stores by
// guessing. It goes on where the thread's last one ended: else a processor that looks far ahead does two of them side
// by side in some loops, and not in others.
void delay(void) {
  static _Thread_local unsigned long last = 1;
  unsigned long x = last;
  for (int i = 0; i < 72; ++i) {
    x = x * 0x9e3779b97f4a7c15ul + 1;
    __asm__ volatile("" : "+r"(x));
  }
  last = x;
}

// At best: a preemption has no place in the reference. Some 20 us in all: the other threads of the team shall find it a
// short wait.
double one_alone(void) {
  double best = 1e9;
  for (int i = 0; i < 4; ++i) {
    const double begin = now_us();
    for (int k = 0; k < 50; ++k) delay();
    const double took = (now_us() - begin) / 50;
    if (took < best) best = took;
  }
  return best;
}

double one_each(void) {
  if (team.threads > team.cpus) return one_alone() * team.threads / team.cpus;
  double slowest = 0;
#pragma omp parallel reduction(max : slowest)
  {
#pragma omp barrier
    slowest = one_alone();
  }
  return slowest;
}
