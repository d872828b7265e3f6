// Threads of the program's own that each open regions: ranks that are threads, requests to a server, Python's threads.
#include <pthread.h>
#include <stdlib.h>

#include "harness.h"

enum { user_threads = 2, members = 2 };

static pthread_barrier_t begin, end;
static long regions;  // for each; written between `end` and `begin`
static _Alignas(128) struct slot counted[user_threads];

static void* open_regions(void* slot) {
  struct slot* const mine = slot;
  for (;;) {
    pthread_barrier_wait(&begin);
    long count = 0;
    for (long i = 0; i < regions; ++i) {
#pragma omp parallel num_threads(members) reduction(+ : count)
      {
        delay();
        count += 1;
      }
    }
    mine->count = count;
    pthread_barrier_wait(&end);
  }
  return 0;
}

// They stay, as such threads do: their teams are made once.
static void start_threads(void) {
  static bool started = false;
  if (started) return;
  started = true;
  pthread_barrier_init(&begin, 0, user_threads + 1);
  pthread_barrier_init(&end, 0, user_threads + 1);
  for (int i = 0; i < user_threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, 0, open_regions, &counted[i]) != 0) abort();
    pthread_detach(thread);
  }
}

static bool user_threads_2x2(long reps) {
  start_threads();
  regions = reps;
  pthread_barrier_wait(&begin);
  pthread_barrier_wait(&end);
  long sum = 0;
  for (int i = 0; i < user_threads; ++i) sum += counted[i].count;
  return sum == reps * user_threads * members;
}

static double two(void) { return 2; }

const struct construct user_thread_constructs[] = {
    {"user_threads_2x2", user_threads_2x2, 0, two, 0},
    {0},
};
