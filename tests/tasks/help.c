// Members that have nothing to do come for tasks, all of them: while one queues tasks now and then, while others are
// busy, and for tasks that a thread queued at once before it was busy itself. Each task stays until as many run as
// there are threads to run them, so a member that is not told of them makes the others wait. (OpenMP promises nothing
// of the kind; a thread that sleeps while there are tasks is a core lost.)
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { rounds = 20, patience_ms = 10000 };

static atomic_int inside, expected;
static const char* what;
static char first, next[64];  // for dependences: addresses that mean something

static void stay(void) {
  ++inside;
  for (int ms = 0; inside < expected; ++ms) {
    if (ms == patience_ms) {
      printf("%s: %d tasks at once, %d could be\n", what, inside, expected);
      exit(1);
    }
    usleep(1000);
  }
}

static void begin(const char* name, int tasks) {
  what = name;
  inside = 0;
  expected = tasks;
}

static void nap(void) { usleep(500); }  // the others park

int main(void) {
  int const threads = omp_get_max_threads();  // a core for each, as far as Amity knows
  for (int round = 0; round < rounds; ++round) {
    begin("one after the other", threads - 1);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < threads - 1; ++i) {
      nap();
#pragma omp task
      stay();
    }

    for (int priority = 0; priority < 2; ++priority) {  // those with one lie in the team's queue
      begin(priority == 0 ? "by a member, the leader being busy" : "the same, with a priority", threads - 2);
#pragma omp parallel
      {
        if (omp_get_thread_num() == 0)
          while (inside < expected) nap();
        if (omp_get_thread_num() == threads - 1) {
          for (int i = 0; i < threads - 2; ++i) {
            nap();
#pragma omp task priority(priority)
            stay();
          }
          while (inside < expected) nap();
        }
      }
    }

    begin("all at once, and the first of them by their maker", threads);
#pragma omp parallel
#pragma omp single
    {
      nap();
      for (int i = 0; i < threads; ++i) {
#pragma omp task
        stay();
      }
    }

    begin("below one that waits for its children", threads);
#pragma omp parallel
#pragma omp single
    {
      nap();
#pragma omp task
      {
        for (int i = 0; i < threads; ++i) {
          if (i % 2 != 0) nap();
#pragma omp task
          stay();
        }
#pragma omp taskwait
      }
    }

    begin("a chain's successors", threads);
#pragma omp parallel
#pragma omp single
    {
      nap();
#pragma omp task depend(out : first)
      nap();
      for (int i = 0; i < threads; ++i) {
#pragma omp task depend(in : first) depend(out : next[i])
        nap();
#pragma omp task depend(in : next[i])
        stay();
      }
    }
  }
  printf("ok\n");
}
