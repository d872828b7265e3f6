// A garbage collector's way, from whichever thread of the team comes to it: it signals all others by pthread_kill,
// waits until each has answered from its handler, where they stay, and lets them go. The others compute, make tasks,
// ask for chunks of a loop, wait at a barrier, or rest outside of the team. The initial thread, on whose OS thread
// the runtime may run others meanwhile, is among those that wait. Nobody answers for another, and no signal is sent
// twice. Arguments: threads, rounds; a third one prints how long the stops took.
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most = 256, seconds_to_answer = 20 };

static sem_t answer;
static volatile sig_atomic_t go;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread_of[most];
static _Thread_local int number = -1;
static int answered[most];
static int threads, failed, stops;
static double longest, total;

static void stop(int signal) {
  (void)signal;
  sigset_t all_but_resume;
  sigfillset(&all_but_resume);
  sigdelset(&all_but_resume, SIGUSR2);
  if (number >= 0) __atomic_add_fetch(&answered[number], 1, __ATOMIC_RELAXED);
  sem_post(&answer);
  while (!go) sigsuspend(&all_but_resume);
  sem_post(&answer);
}

static void resume(int signal) { (void)signal; }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int await_answers(int expected) {
  struct timespec limit;
  int got = 0;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += seconds_to_answer;
  while (got < expected && sem_timedwait(&answer, &limit) == 0) ++got;
  return got;
}

// The world stands still, and goes on. Nothing if another thread is at it.
static void collect(const char* what) {
  int before[most];
  if (number < 0 || failed || pthread_mutex_trylock(&one_at_a_time) != 0) return;
  memcpy(before, answered, sizeof before);
  double const begun = now();
  go = 0;
  for (int i = 0; i < threads; ++i)
    if (i != number) pthread_kill(thread_of[i], SIGUSR1);
  int const got = await_answers(threads - 1);
  double const took = now() - begun;
  longest = took > longest ? took : longest;
  total += took;
  ++stops;
  for (int i = 0; i < threads; ++i)
    if (i != number && answered[i] != before[i] + 1)
      failed = 1, printf("thread %d answered %d times to thread %d: %s\n", i, answered[i] - before[i], number, what);
  go = 1;
  for (int i = 0; i < threads; ++i)
    if (i != number) pthread_kill(thread_of[i], SIGUSR2);
  if (got != threads - 1 || await_answers(threads - 1) != threads - 1) {
    printf("%d of %d stopped, and not all went on: %s\n", got, threads - 1, what);
    exit(1);
  }
  pthread_mutex_unlock(&one_at_a_time);
}

static volatile double x;

static void compute(int turns) {
  double sum = 1;
  for (int i = 0; i < turns; ++i) sum = sum * 1.0000001 + 1e-9;
  x = sum;
}

static void a_round(void) {
#pragma omp parallel num_threads(threads)
  {
    number = omp_get_thread_num();
    thread_of[number] = pthread_self();
#pragma omp barrier
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 300; ++i) {
      compute(200);
      if (i % 50 == 25) collect("chunks of a loop");
    }
#pragma omp single
    collect("a barrier");
#pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < 3000; ++i)
      if (i % 1000 == 500) collect("short chunks");
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 200; ++i) {
#pragma omp task
      {
        compute(200);
        if (i % 50 == 25) collect("tasks");
      }
    }
#pragma omp master
    collect("the initial thread's turn");
  }
  collect("between two regions");
  // The others rest, in no team, and are signalled as well.
#pragma omp parallel num_threads(threads < 2 ? threads : 2)
  {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 100; ++i) {
      compute(200);
      if (i % 50 == 25) collect("a smaller team");
    }
  }
}

int main(int argc, char** argv) {
  threads = argc > 1 ? atoi(argv[1]) : omp_get_max_threads();
  int const rounds = argc > 2 ? atoi(argv[2]) : 10;
  sem_init(&answer, 0, 0);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigfillset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  action.sa_handler = stop;
  sigaction(SIGUSR1, &action, NULL);
  action.sa_handler = resume;
  sigaction(SIGUSR2, &action, NULL);
  for (int r = 0; r < rounds && !failed; ++r) a_round();
  if (argc > 3) printf("%d stops, %.3f ms each, %.3f at most\n", stops, 1e3 * total / stops, 1e3 * longest);
  puts(failed ? "wrong" : "ok");
  return failed;
}
