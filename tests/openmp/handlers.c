// Signals to every OS thread of the process, whose handlers take their time, while the threads of a team wait for
// the first one in loops of their own. Whatever code a handler interrupts, the program's or the library's, goes on as
// if nothing had been.
#define _GNU_SOURCE
#include <dirent.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { regions = 60, turns = 10 };
static volatile sig_atomic_t ended;
static long handled;

static void handle(int signal) {
  (void)signal;
  for (int volatile i = 0; i < 20000; ++i) continue;
  __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

static void* send_signals(void* unused) {
  int const self = (int)syscall(SYS_gettid);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  while (!ended) {
    DIR* const tasks = opendir("/proc/self/task");
    for (struct dirent* e; tasks != NULL && (e = readdir(tasks)) != NULL;) {
      int const task = atoi(e->d_name);
      if (task > 0 && task != self) syscall(SYS_tgkill, getpid(), task, SIGUSR1);
    }
    if (tasks != NULL) closedir(tasks);
    nanosleep(&(struct timespec){0, 200 * 1000}, NULL);
  }
  return unused;
}

// All wait till the first thread says go, and add up what it has written.
static int region(void) {
  static int volatile go;
  static int written;
  int sum = 0, size = 0;
  go = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp single
    size = omp_get_num_threads();
    for (int turn = 1; turn <= turns; ++turn) {
      if (omp_get_thread_num() == 0) {
        written = turn;
        __atomic_store_n(&go, turn, __ATOMIC_RELEASE);
      } else {
        while (__atomic_load_n(&go, __ATOMIC_ACQUIRE) != turn) continue;
      }
      sum += written;
#pragma omp barrier
    }
  }
  return sum == size * turns * (turns + 1) / 2;
}

int main(void) {
  pthread_t sender;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&sender, NULL, send_signals, NULL);
  int wrong = 0;
  time_t const begun = time(NULL);
  for (int i = 0;; ++i) {
    time_t const passed = time(NULL) - begun;
    int const few = __atomic_load_n(&handled, __ATOMIC_RELAXED) < 20;
    if (few ? passed > 20 : i >= regions || passed > 4) break;
    wrong += !region();
  }
  ended = 1;
  pthread_join(sender, NULL);
  if (wrong != 0 || handled == 0) return printf("%d regions were wrong, %ld signals\n", wrong, handled), 1;
  puts("ok");
}
