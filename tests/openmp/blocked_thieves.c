// A task that waits for the next one, which its maker waits for as well, all outside of OpenMP: the thread that took
// the first is blocked by then, and others have to come for the second.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { rounds = 25 };

static long wrong;

static void get(int const* ends) {
  char byte = 0;
  if (read(ends[0], &byte, 1) != 1) wrong = 1;
}

static void put(int const* ends) {
  if (write(ends[1], "x", 1) != 1) wrong = 1;
}

static void by_pipes(int pause_us) {
  int first[2], maker[2];
  if (pipe(first) != 0 || pipe(maker) != 0) _exit(2);
#pragma omp task shared(first)
  get(first);
  if (pause_us != 0) usleep(pause_us);  // meanwhile it is taken
#pragma omp task shared(first, maker)
  {
    put(first);
    put(maker);
  }
  get(maker);
#pragma omp taskwait
  for (int i = 0; i < 2; ++i) close(first[i]), close(maker[i]);
}

static void by_yields(int pause_us) {
  atomic_int done = 0;
#pragma omp task shared(done)
  while (!atomic_load(&done)) sched_yield();
  if (pause_us != 0) usleep(pause_us);
#pragma omp task shared(done)
  atomic_store(&done, 1);
  while (!atomic_load(&done)) sched_yield();
#pragma omp taskwait
}

int main(void) {
  if (omp_get_max_threads() < 3) return puts("ok"), 0;  // two are blocked
  for (int last = 0; last < 2; ++last) {
#pragma omp parallel
    for (int round = 0; round < rounds; ++round) {
      if (omp_get_thread_num() == (last ? omp_get_num_threads() - 1 : 0)) {
        by_pipes(round % 2 == 0 ? 0 : 3000);
        by_yields(round % 2 == 0 ? 0 : 3000);
      }
#pragma omp barrier
    }
  }
  puts(wrong ? "wrong" : "ok");
  return wrong != 0;
}
