/* Reductions with the task modifier: of regions, loops, sections and scopes whose members are in all processes. Tasks
 * that take part in them add to copies of their process. */
#include <omp.h>
#include <stdio.h>

enum { rounds = 40, tasks = 20 };

static int wrong = 0;

static void expect(long is, long due, const char* what) {
  if (is == due) return;
  printf("%s: %ld, not %ld\n", what, is, due);
  wrong++;
}

static void of_region(int n) {
  long sum = 0, most = -1, table[3] = {0, 0, 0};
#pragma omp parallel num_threads(n) reduction(task, + : sum, table[:3]) reduction(task, max : most)
  {
    int const me = omp_get_thread_num();
    sum += 1000;
    for (int i = 0; i < tasks; i++) {
#pragma omp task in_reduction(+ : sum, table[:3]) in_reduction(max : most)
      {
        sum += i;
        table[i % 3]++;
        if (me * 100 + i > most) most = me * 100 + i;
#pragma omp task in_reduction(+ : sum)
        sum += 1;
#pragma omp taskwait
      }
    }
  }
  expect(sum, n * (1000L + tasks * (tasks - 1) / 2 + tasks), "region: sum");
  expect(most, (n - 1) * 100L + tasks - 1, "region: maximum");
  expect(table[0] + table[1] + table[2], (long)n * tasks, "region: table");
}

static void of_loops(int n) {
  long by_static = 0, by_dynamic = 0, in_sections = 0, product = 1;
#pragma omp parallel num_threads(n)
  {
#pragma omp for schedule(static) reduction(task, + : by_static)
    for (int i = 0; i < tasks; i++) {
#pragma omp task in_reduction(+ : by_static) firstprivate(i)
      by_static += i;
      by_static += 100;
    }
#pragma omp for schedule(dynamic, 2) reduction(task, + : by_dynamic) reduction(task, * : product)
    for (int i = 0; i < tasks; i++) {
#pragma omp task in_reduction(+ : by_dynamic) in_reduction(* : product) firstprivate(i)
      {
        by_dynamic += i;
        if (i < 6) product *= i + 1;
      }
    }
#pragma omp sections reduction(task, + : in_sections)
    {
#pragma omp section
      {
#pragma omp task in_reduction(+ : in_sections)
        in_sections += 1;
      }
#pragma omp section
      {
#pragma omp task in_reduction(+ : in_sections)
        in_sections += 10;
      }
#pragma omp section
      in_sections += 100;
    }
  }
  expect(by_static, 100L * tasks + tasks * (tasks - 1) / 2, "static loop");
  expect(by_dynamic, tasks * (tasks - 1) / 2, "dynamic loop");
  expect(product, 720, "product");
  expect(in_sections, 111, "sections");
}

/* The members' order at what they combine says nothing of the values. */
static void of_groups(int n) {
  long sum = 0;
#pragma omp parallel num_threads(n) reduction(+ : sum)
  {
    long own = 0;
#pragma omp taskgroup task_reduction(+ : own)
    {
      for (int i = 0; i < tasks; i++) {
#pragma omp task in_reduction(+ : own)
        own += i;
      }
    }
    sum += own;
  }
  expect(sum, (long)n * tasks * (tasks - 1) / 2, "taskgroup");
}

int main(void) {
  int const n = omp_get_max_threads();
  for (int r = 0; r < rounds; r++) {
    of_region(n);
    of_region(1 + r % n);
    of_loops(n);
    of_groups(n);
  }
  printf(wrong == 0 ? "ok\n" : "%d wrong\n", wrong);
  return wrong != 0;
}
