#include "surroundings.h"

#include <omp.h>

#include "common/program.h"

// A chain of dependent multiplications, the same for every compiler, opaque to both. In a register: what a chain
// through memory takes depends on what stands around it, by a fourth and more where the processor forwards stores by
// guessing.
void delay(void) {
  unsigned long x = 1;
  for (int i = 0; i < 72; ++i) {
    x = x * 0x9e3779b97f4a7c15ul + 1;
    __asm__ volatile("" : "+r"(x));
  }
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

enum { trips = 100 };

// In cache lines of its own.
static _Alignas(128) struct {
  int at;  // odd: it is the second thread's turn; negative: no more
  char rest[124];
} ball;

static int ball_at(void) { return __atomic_load_n(&ball.at, __ATOMIC_ACQUIRE); }
static void throw_ball(int to) { __atomic_store_n(&ball.at, to, __ATOMIC_RELEASE); }

// Until the ball is there; false after a millisecond: the other thread has no core.
static _Bool await_ball(int at) {
  const double begin = now_us();
  for (unsigned turn = 1; ball_at() != at; ++turn) {
    if (ball_at() < 0 || (turn % 1024 == 0 && now_us() - begin > 1000)) return 0;
  }
  return 1;
}

double round_trip_ns(void) {
  if (team.threads < 2 || team.threads > team.cpus) return 0;
  double took = 0;
  throw_ball(0);
#pragma omp parallel
  {
    const int self = omp_get_thread_num();
    if (self < 2) {
      const double begin = now_us();
      double warm = begin;
      int trip = 0;
      for (; trip < trips; ++trip) {
        if (trip == trips / 2) warm = now_us();  // both are surely there by now
        if (self == 0) throw_ball(2 * trip + 1);
        if (!await_ball(2 * trip + (self == 0 ? 2 : 1))) break;
        if (self == 1) throw_ball(2 * trip + 2);
      }
      if (trip < trips) throw_ball(-1);
      if (self == 0 && trip == trips) took = (now_us() - warm) * 1000 / (trips - trips / 2.0);
    }
  }
  return took;
}
