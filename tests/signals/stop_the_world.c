// A stop-the-world collector's way: each thread of a team has said who it is by pthread_self(); one of them signals all
// the others, waits until each has answered from its handler, and lets them go. Every thread answers, as itself,
// whatever it does: compute, wait at a barrier, sleep, wait for a lock, wait for tasks, or rest between two regions.
// Arguments: threads, rounds.
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { most = 256, seconds_to_answer = 5 };
enum doing { computing, at_a_barrier, sleeping, at_a_lock, with_tasks, by_turns, ways };
static const char* const names[] = {"compute",         "wait at a barrier", "sleep",
                                    "wait for a lock", "have tasks",        "each do something else"};

static sem_t answer;
static volatile sig_atomic_t go;
static pthread_t thread_of[most];
static _Thread_local int number = -1;
static int answered[most];

static void stop(int signal) {
  (void)signal;
  sigset_t all_but_resume;
  sigfillset(&all_but_resume);
  sigdelset(&all_but_resume, SIGUSR2);
  sigdelset(&all_but_resume, SIGTERM);
  sigdelset(&all_but_resume, SIGINT);
  if (number >= 0) __atomic_add_fetch(&answered[number], 1, __ATOMIC_RELAXED);
  sem_post(&answer);
  while (!go) sigsuspend(&all_but_resume);
  sem_post(&answer);
}

static void resume(int signal) { (void)signal; }

// How many of the others have answered so far, or all of them if time does not run out.
static int await_answers(int expected) {
  struct timespec limit;
  int got = 0;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += seconds_to_answer;
  while (got < expected && sem_timedwait(&answer, &limit) == 0) ++got;
  return got;
}

static int stop_all(int threads) {
  int sent = 0;
  go = 0;
  for (int i = 1; i < threads; ++i) sent += pthread_kill(thread_of[i], SIGUSR1) == 0;
  int const got = await_answers(sent);
  go = 1;
  for (int i = 1; i < threads; ++i) pthread_kill(thread_of[i], SIGUSR2);
  if (got < sent) return printf("%d of %d answered\n", got, sent), 0;
  int const gone_on = await_answers(sent);
  if (gone_on < sent) return printf("%d of %d went on\n", gone_on, sent), 0;
  return 1;
}

static int stop_often(int threads, int rounds, const char* what) {
  memset(answered, 0, sizeof answered);
  for (int r = 0; r < rounds; ++r) {
    if (!stop_all(threads)) return printf("in round %d, threads that %s\n", r, what), 0;
    usleep(2000);
  }
  for (int i = 1; i < threads; ++i)
    if (answered[i] != rounds)
      return printf("thread %d answered %d of %d as itself: %s\n", i, answered[i], rounds, what), 0;
  return 1;
}

static volatile int done;

static void do_for_a_while(enum doing what, int me, omp_lock_t* lock) {
  volatile double x = 1;
  switch (what) {
    case computing:
      while (!done) x = x * 1.0000001;
      break;
    case sleeping:
      while (!done) usleep(20000);
      break;
    case at_a_lock:
      omp_set_lock(lock);
      omp_unset_lock(lock);
      break;
    case with_tasks:
      while (!done) {
        for (int i = 0; i < 10; ++i)
#pragma omp task firstprivate(x)
          for (int k = 0; k < 1000; ++k) x = x * 1.0000001;
#pragma omp taskwait
      }
      break;
    case by_turns:
      do_for_a_while((enum doing)(me % by_turns), me, lock);
      break;
    default:
      break;
  }
}

static int in_a_region(enum doing what, int threads, int rounds) {
  int fine = 1;
  omp_lock_t lock;
  omp_init_lock(&lock);
  done = 0;
#pragma omp parallel num_threads(threads)
  {
    int const me = omp_get_thread_num();
    thread_of[me] = pthread_self();
    number = me;
    if (me == 0) omp_set_lock(&lock);
#pragma omp barrier
    if (me == 0) {
      fine = stop_often(threads, rounds, names[what]);
      done = 1;
      omp_unset_lock(&lock);
    } else {
      do_for_a_while(what, me, &lock);
    }
  }
  omp_destroy_lock(&lock);
  return fine;
}

int main(int argc, char** argv) {
  int const threads = argc > 1 ? atoi(argv[1]) : omp_get_max_threads(), rounds = argc > 2 ? atoi(argv[2]) : 10;
  sem_init(&answer, 0, 0);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigfillset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  action.sa_handler = stop;
  sigaction(SIGUSR1, &action, NULL);
  action.sa_handler = resume;
  sigaction(SIGUSR2, &action, NULL);
  int fine = 1;
  for (int what = 0; what < ways && fine; ++what)
    fine = in_a_region((enum doing)what, threads, rounds) && stop_often(threads, rounds, "rest between two regions");
  puts(fine ? "ok" : "wrong");
  return !fine;
}
