// One thread makes tasks faster than the others run them, of every kind that a runtime may treat in another way: all of
// them run, and what waits is bounded, so the program does not grow with their number.
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "expect.h"

enum { tasks = 2000000, large_tasks = 20000 };
static long sum;

static long most_memory(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;  // KiB
}

static void work(void) {
#pragma omp atomic
  ++sum;
}

static void make_tied(void) {
  for (int i = 0; i < tasks; ++i) {
#pragma omp task
    work();
  }
}
static void make_untied(void) {
  for (int i = 0; i < tasks; ++i) {
#pragma omp task untied
    work();
  }
}
static void make_urgent(void) {
  for (int i = 0; i < tasks; ++i) {
#pragma omp task priority(i % 5)
    work();
  }
}

struct large {
  char bytes[10000];
};
static void make_large(void) {
  struct large block;
  for (int i = 0; i < large_tasks; ++i) {
    memset(&block, i & 0x7f, sizeof block);
#pragma omp task firstprivate(block, i)
    {
      expect(block.bytes[0] == (i & 0x7f) && block.bytes[9999] == (i & 0x7f), "a large task has its own copy");
      work();
    }
  }
}

static void run(const char* what, void make(void), long number) {
  long const before = most_memory();
  sum = 0;
#pragma omp parallel
#pragma omp single
  make();
  expect(sum == number, what);
  expect(most_memory() - before < 48 * 1024, "what waits takes more than 48 MiB");
}

int main(void) {
  run("tied tasks", make_tied, tasks);
  run("untied tasks", make_untied, tasks);
  run("tasks with priorities", make_urgent, tasks);
  run("tasks with large variables", make_large, large_tasks);
  if (!wrong) puts("ok");
  return wrong;
}
