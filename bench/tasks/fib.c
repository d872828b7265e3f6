// Fibonacci numbers by their definition: nothing but tasks; with a cut-off, only the upper calls are tasks.
#include "tasks/programs.h"

enum { task_levels = 12 };

static const int every_n[input_count] = {15, 27, 30};
static const int cut_n[input_count] = {20, 39, 43};

static int n;
static long cut;  // from which n on a call is a task
static long answer;
static long expected;

static long serial(int k) { return k < 2 ? k : serial(k - 1) + serial(k - 2); }

static long fib(int k) {
  if (k < 2) return k;
  if (k < cut) return serial(k);
  long a;
  long b;
#pragma omp task shared(a)
  a = fib(k - 1);
#pragma omp task shared(b)
  b = fib(k - 2);
#pragma omp taskwait
  return a + b;
}

static void set_up(int of, int first_task) {
  n = of;
  cut = first_task;
  long next = 1;
  expected = 0;
  for (int i = 0; i < n; ++i) {
    const long sum = expected + next;
    expected = next;
    next = sum;
  }
}

static void set_up_every(enum input input) { set_up(every_n[input], 0); }
static void set_up_cut(enum input input) { set_up(cut_n[input], cut_n[input] - task_levels); }
static void prepare(void) { answer = -1; }
static void run(void) { answer = fib(n); }
static bool right(void) { return answer == expected; }

const struct task_program fib_programs[] = {
    {"fib", set_up_every, prepare, run, right},
    {"cut/fib", set_up_cut, prepare, run, right},
    {0},
};
