// Timers whose handlers interrupt regions, barriers, tasks and the gaps between: by the wall clock and by CPU time, on
// a stack of their own or on the thread's. A handler may call what is allowed in one, and keeps errno.
#define _GNU_SOURCE
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { least = 20, regions = 3000 };
static volatile sig_atomic_t alarms, profiles;

static void handle(int signal) {
  int const before = errno;
  close(-1);  // sets it
  errno = before;
  if (signal == SIGALRM)
    alarms = alarms + 1;
  else
    profiles = profiles + 1;
}

static void catch (int signal, int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART | flags;
  sigaction(signal, &action, NULL);
}

static void tick(int which, int microseconds) {
  struct itimerval interval = {{0, microseconds}, {0, microseconds}};
  setitimer(which, &interval, NULL);
}

static int work(int round) {
  int sum = 0, size = 0, kept = 0;
#pragma omp parallel reduction(+ : sum, kept)
  {
    errno = 5000 + omp_get_thread_num();
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 64; ++i) sum += i;
#pragma omp barrier
#pragma omp single
    {
      size = omp_get_num_threads();
      for (int i = 0; i < 8; ++i)
#pragma omp task shared(sum)
      {
#pragma omp atomic
        size += 0;
      }
    }
#pragma omp critical(one)
    kept += errno == 5000 + omp_get_thread_num();
  }
  if (sum == 64 * 63 / 2 && kept == size) return 1;
  printf("round %d: sum %d, errno kept by %d of %d\n", round, sum, kept, size);
  return 0;
}

// Until both timers have interrupted it often enough, and for a number of regions.
static int phase(int flags) {
  alarms = profiles = 0;
  catch (SIGALRM, flags);
  catch (SIGPROF, flags);
  tick(ITIMER_REAL, 500);
  tick(ITIMER_PROF, 500);
  int fine = 1, round = 0;
  time_t const end = time(NULL) + 15;
  while (fine && time(NULL) < end && (round < regions || alarms < least || profiles < least)) fine = work(round++);
  tick(ITIMER_REAL, 0);
  tick(ITIMER_PROF, 0);
  if (alarms < least || profiles < least) {
    printf("only %d SIGALRM and %d SIGPROF in %d rounds\n", (int)alarms, (int)profiles, round);
    return 0;
  }
  return fine;
}

int main(void) {
  stack_t own = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
  if (!phase(0) || sigaltstack(&own, NULL) || !phase(SA_ONSTACK)) return EXIT_FAILURE;
  puts("ok");
}
