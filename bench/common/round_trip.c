#include <omp.h>

#include "common/program.h"

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

double omp_round_trip_ns(void) {
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
