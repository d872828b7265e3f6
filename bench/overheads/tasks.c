// Tasks: made by one thread and by all, waited for, in a chain of dependences, in loops, and recursively.
#include <omp.h>

#include "harness.h"

enum { batch = 1000, chain = 100, fib_n = 20, fib_value = 6765 };

static void count_one(void) {
  delay();
  ++slots[omp_get_thread_num()].count;
}

static bool task_1000(long reps) {
  clear_slots();
#pragma omp parallel
  for (long i = 0; i < reps; ++i) {
#pragma omp single
    for (int k = 0; k < batch; ++k) {
#pragma omp task
      count_one();
    }
  }
  return sum_of_slots() == reps * batch;
}

static bool task_all(long reps) {
  const int each = (batch + team.threads - 1) / team.threads;
  clear_slots();
#pragma omp parallel
  for (long i = 0; i < reps; ++i) {
    for (int k = 0; k < each; ++k) {
#pragma omp task
      count_one();
    }
#pragma omp barrier
  }
  return sum_of_slots() == reps * each * team.threads;
}

static bool taskwait(long reps) {
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  for (long i = 0; i < reps; ++i) {
    long done = -1;
#pragma omp task shared(done) firstprivate(i)
    {
      delay();
      done = i;
    }
#pragma omp taskwait
    wrong += done != i;
  }
  return wrong == 0;
}

static bool task_deps(long reps) {
  long wrong = 0;
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < reps; ++i) {
    long link = 0;
    for (long k = 0; k < chain; ++k) {
#pragma omp task depend(inout : link) shared(link, wrong) firstprivate(k)
      {
        delay();
        wrong += link != k;
        ++link;
      }
    }
#pragma omp taskwait
    wrong += link != chain;
  }
  return wrong == 0;
}

static bool taskloop_1(long reps) {
  clear_slots();
#pragma omp parallel
  for (long i = 0; i < reps; ++i) {
#pragma omp single
    {
#pragma omp taskloop grainsize(1)
      for (int k = 0; k < batch; ++k) count_one();
    }
  }
  return sum_of_slots() == reps * batch;
}

static int fib(int n) {
  if (n < 2) return n;
  int a;
  int b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static bool fib20(long reps) {
  long wrong = 0;
#pragma omp parallel
  for (long i = 0; i < reps; ++i) {
#pragma omp single
    wrong += fib(fib_n) != fib_value;
  }
  return wrong == 0;
}

// The work of `n` tasks, shared out among the threads.
static double shared_work(int n) { return n * one_each() / team.threads; }
static double batch_work(void) { return shared_work(batch); }
static double all_work(void) { return shared_work((batch + team.threads - 1) / team.threads * team.threads); }
static double chain_work(void) { return chain * one_alone(); }

const struct construct task_constructs[] = {
    {"task_1000", task_1000, batch_work, 0, 0},
    {"task_all", task_all, all_work, 0, 0},
    {"taskwait", taskwait, one_each, 0, 0},
    {"task_deps", task_deps, chain_work, 0, 0},
    {"taskloop_1", taskloop_1, batch_work, 0, 0},
    {"fib20", fib20, 0, 0, 0},
    {0},
};
