// Chains of tasks that are too short to be worth a theft, and after each of them tasks that somebody else has to come
// for: one that the maker waits for outside of OpenMP, and two that wait for one another.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { rounds = 60, chain = 200 };

static int ends[2];
static atomic_int met;

static void short_chain(long* wrong) {
  long link = 0;
  for (long k = 0; k < chain; ++k) {
#pragma omp task depend(inout : link) shared(link, wrong) firstprivate(k)
    {
      if (link != k) ++*wrong;
      ++link;
    }
  }
#pragma omp taskwait
  if (link != chain) ++*wrong;
}

static void outside_of_openmp(long* wrong) {
  char byte = 0;
#pragma omp task
  {
    if (write(ends[1], "x", 1) != 1) _exit(2);
  }
  if (read(ends[0], &byte, 1) != 1 || byte != 'x') ++*wrong;
}

static void meet(int both) {
  atomic_fetch_add(&met, 1);
  while (atomic_load(&met) < both) sched_yield();
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  long wrong = 0;
#pragma omp parallel shared(wrong)
#pragma omp single
  {
    int const several = omp_get_num_threads() > 1;  // one thread runs its tasks where it makes them
    for (int round = 0; round < rounds; ++round) {
      short_chain(&wrong);
      outside_of_openmp(&wrong);
      short_chain(&wrong);
      if (!several) continue;
      atomic_store(&met, 0);
#pragma omp task
      meet(2);
#pragma omp task
      meet(2);
#pragma omp taskwait
    }
  }
  puts(wrong ? "wrong" : "ok");
  return wrong != 0;
}
