// Processes that are started from within a region: by fork, vfork, posix_spawn and system, while the other threads wait
// or work.
#define _GNU_SOURCE
#include <omp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

extern char** environ;
enum { rounds = 6 };

static int region(int threads) {
  int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
#pragma omp barrier
    sum += omp_get_thread_num() + 1;
  }
  return sum;
}

static int status_of(pid_t child) {
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The child is one thread of a region whose other threads are gone. What it may do is what a thread outside does,
// except that it can't end that region: so it ends.
static void fork_child(const char* where) {
  pid_t const child = fork();
  if (child == 0) {
    alarm(20);
    int fine = 1;
    for (int i = 0; i < 3; ++i)
      fine &= region(4) == 10 || region(4) == 1;  // nested as it is: one thread, unless nesting is on
    _exit(fine ? 42 : 1);
  }
  expect(status_of(child) == 42, where);
}

static void fork_and_exec(pid_t (*make)(void), const char* what) {
  pid_t const child = make();
  expect(status_of(child) == 3, what);
}

static pid_t by_vfork(void) {
  pid_t const child = vfork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 3", (char*)NULL);
    _exit(1);
  }
  return child;
}

static pid_t by_spawn(void) {
  pid_t child = -1;
  char* arguments[] = {"sh", "-c", "exit 3", NULL};
  return posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0 ? child : -1;
}

int main(void) {
  omp_set_dynamic(0);
  for (int i = 0; i < rounds; ++i) {
#pragma omp parallel
    {
#pragma omp master
      fork_child("fork in master");
#pragma omp barrier
#pragma omp single
      fork_child("fork in single");
#pragma omp critical(one_by_one)
      if (omp_get_thread_num() < 3) fork_child("fork in critical");
    }
    expect(region(4) == 10, "a region between");
    int size = 0, sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
      fork_and_exec(by_spawn, "posix_spawn");
      if (omp_get_thread_num() < 4) {
        fork_and_exec(by_vfork, "vfork");
        int const status = system("exit 3");
        expect(WIFEXITED(status) && WEXITSTATUS(status) == 3, "system");
      }
#pragma omp barrier
      sum += omp_get_thread_num();
#pragma omp single
      size = omp_get_num_threads();
    }
    expect(sum == size * (size - 1) / 2, "the region that started processes");
  }
  if (wrong) return EXIT_FAILURE;
  puts("ok");
}
