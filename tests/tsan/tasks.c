// What orders tasks: making, taskwait, taskgroup, barriers, dependences of all kinds, events, reductions; and what the
// runtime itself does with a task's memory must not show.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;
static void check(int right, const char* what) {
  if (!right) {
    printf("wrong: %s\n", what);
    ++wrong;
  }
}

static int fib(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a) final(n < 5)
  a = fib(n - 1);
#pragma omp task shared(b) untied if (n > 3)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

struct large {
  int numbers[200];
};

static void trees(void) {
  int r = 0, below[50] = {0}, sum = 0;
  struct large block;
  for (int i = 0; i < 200; ++i) block.numbers[i] = i;
#pragma omp parallel
#pragma omp single
  {
    r = fib(12);
#pragma omp taskgroup
    for (int i = 0; i < 50; ++i) {
#pragma omp task firstprivate(block, i) shared(below)
      {
        block.numbers[i] += 1;
#pragma omp task firstprivate(i) shared(below)
        below[i] = i;
      }
    }
    for (int i = 0; i < 50; ++i) sum += below[i];
    for (int i = 0; i < 1000; ++i) {
#pragma omp task firstprivate(i, block) shared(below)
      if (i < 50) below[i] += block.numbers[i];
    }
#pragma omp taskyield
  }
  for (int i = 0; i < 50; ++i) sum += below[i];
  check(r == 144 && sum == 3 * 25 * 49, "trees");
#pragma omp parallel
  {
    int mine = omp_get_thread_num(), theirs = 0;
#pragma omp task shared(mine)
    ++mine;
#pragma omp barrier
    theirs = mine;
#pragma omp task untied shared(theirs)
    {
      int part = theirs;
#pragma omp task shared(part)
      ++part;
#pragma omp taskwait
      theirs = part;
    }
#pragma omp taskwait
    check(theirs == mine + 1, "in every thread");
  }
}

static void dependences(void) {
  enum { n = 30 };
  int x = 0, y[n], set[4] = {0}, excluded = 0, total = 0, all = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; ++i) {
#pragma omp task depend(inout : x) shared(x) firstprivate(i)
      x += i;
#pragma omp task depend(in : x) depend(out : y[i]) shared(x, y) firstprivate(i)
      y[i] = x;
#pragma omp task depend(in : x, y[i]) shared(x, y) firstprivate(i)
      if (y[i] != x) abort();
    }
    for (int i = 0; i < 10; ++i) {
#pragma omp task depend(mutexinoutset : excluded) depend(in : x) shared(excluded, x)
      excluded += x;
    }
#pragma omp task depend(in : excluded) depend(out : total) shared(excluded, total)
    total = excluded;
#ifdef SETS
    for (int i = 0; i < 4; ++i) {
#pragma omp task depend(inoutset : set) shared(set) firstprivate(i)
      set[i] = i;
    }
#pragma omp task depend(in : set) depend(inout : total) shared(set, total)
    for (int i = 0; i < 4; ++i) total += set[i];
#endif
#pragma omp taskwait depend(in : total)
    all = total;
#pragma omp task depend(inout : x) if (0)
    x = 1;
    x = 2;
  }
  (void)set;
  check(all >= 10 * 435 && x == 2, "dependences");
}

static void events(void) {
  int value = 0, copy = 0;
  omp_event_handle_t event;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task detach(event) depend(out : value) shared(value)
    value = 1;
#pragma omp task firstprivate(event) shared(copy)
    {
      copy = 5;
      omp_fulfill_event(event);
    }
#pragma omp task depend(in : value) shared(value, copy)
    value += copy;
#pragma omp taskwait
    value += copy;
  }
  check(value == 11, "events");
}

static void loops(void) {
  static int x[500];
  long sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(7) firstprivate(sum)
    for (int i = 0; i < 500; ++i) {
      x[i] = i;
      sum += i;
    }
#pragma omp taskloop num_tasks(20) reduction(+ : sum)
    for (int i = 0; i < 500; ++i) sum += x[i];
    x[0] = 1;
#pragma omp taskloop nogroup
    for (int i = 0; i < 500; ++i) ++x[i];
  }
  check(sum == 250 * 499 && x[0] == 2, "loops");
}

static void reductions(void) {
  int sum = 0, other = 0, third = 0;
#pragma omp parallel
  {
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 100; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
      {
        sum += i;
#pragma omp task in_reduction(+ : sum)
        ++sum;
#pragma omp taskwait
        ++sum;
      }
    }
#pragma omp for reduction(task, + : other)
    for (int i = 0; i < 50; ++i) {
      ++other;
#pragma omp task in_reduction(+ : other)
      ++other;
    }
  }
#pragma omp parallel reduction(task, + : third)
  {
    ++third;
#pragma omp task in_reduction(+ : third)
    ++third;
  }
  check(sum == 4950 + 200 && other == 100 && third % 2 == 0, "reductions");
}

// A target region ends with the tasks that were made in it. (clang's code for the host tells no runtime of the region.)
static void of_a_target(void) {
#ifndef __clang__
  int x = 0, y = 0;
#pragma omp target map(tofrom : x)
  {
#pragma omp task shared(x)
    x = 1;
  }
#pragma omp parallel
#pragma omp single
#pragma omp target map(tofrom : y)
  {
#pragma omp task shared(y)
    y = 1;
  }
  check(x == 1 && y == 1, "tasks of a target region");
#endif
}

int main(void) {
  for (int round = 0; round < 3; ++round) {
    trees();
    of_a_target();
    dependences();
    events();
    loops();
    reductions();
  }
  // Outside of all regions too.
  int x = 0;
#pragma omp task shared(x)
  x = 1;
#pragma omp taskwait
  check(x == 1, "the initial thread's task");
  if (wrong == 0) puts("ok");
  return wrong != 0;
}
