// taskloop in all its forms: each iteration once, last values, reductions, numbers of tasks.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 1000 };
static int wrong;
static void check(int right) {
  if (!right) {
#pragma omp atomic
    ++wrong;
  }
}

static int hits[n];
static void hit(long i) {
#pragma omp atomic
  ++hits[i];
}
static void all_hit(int times) {
  for (int i = 0; i < n; ++i) check(hits[i] == times);
  memset(hits, 0, sizeof hits);
}

static void forms(void) {
#pragma omp taskloop
  for (int i = 0; i < n; ++i) hit(i);
  all_hit(1);
#pragma omp taskloop grainsize(1)
  for (int i = n - 1; i >= 0; --i) hit(i);
  all_hit(1);
#pragma omp taskloop num_tasks(7)
  for (unsigned long long i = 0; i < n; i += 3) hit((long)i);
  for (int i = 0; i < n; ++i) check(hits[i] == (i % 3 == 0));
  memset(hits, 0, sizeof hits);
#pragma omp taskloop grainsize(13) nogroup
  for (long i = n; i > 0; --i) hit(i - 1);
#pragma omp taskwait
  all_hit(1);
#pragma omp taskloop collapse(2) if (0)
  for (int i = 0; i < n / 10; ++i)
    for (int j = 0; j < 10; ++j) hit(i * 10 + j);
  all_hit(1);
#pragma omp taskloop final(1)
  for (long i = -n / 2; i < n / 2; ++i) hit(i + n / 2);
  all_hit(1);
#pragma omp taskloop
  for (int i = 5; i < 5; ++i) hit(i);
  all_hit(0);
#pragma omp taskloop grainsize(50)
  for (unsigned long long i = ~0ull - 1; i > ~0ull - 1 - n; --i) hit((long)(~0ull - 1 - i));
  all_hit(1);
}

static void values(void) {
  long sum = 5;
  int last = -1, kept = 42;
#pragma omp taskloop reduction(+ : sum) lastprivate(last) firstprivate(kept) grainsize(3)
  for (int i = 0; i < n; ++i) {
    sum += i;
    last = i;
    check(kept++ >= 42);
  }
  check(sum == 5 + (long)n * (n - 1) / 2);
  check(last == n - 1);
  long outer = 0;
#pragma omp taskgroup task_reduction(+ : outer)
  {
#pragma omp taskloop in_reduction(+ : outer) nogroup
    for (int i = 0; i < n; ++i) outer += 2;
#pragma omp task in_reduction(+ : outer)
    {
#pragma omp task in_reduction(+ : outer)
      outer += 7;
      outer += 1;
    }
  }
  check(outer == 2 * n + 8);
}

static void sizes(void) {
  int tasks = 0, least = n, most = 0;
#pragma omp taskloop grainsize(30) shared(tasks)
  for (int i = 0; i < n; ++i) hit(i);
  all_hit(1);
  int seen[n] = {0};
  (void)least, (void)most, (void)seen, (void)tasks;
  // nested, from many makers at once
#pragma omp taskloop num_tasks(8)
  for (int k = 0; k < 8; ++k) {
#pragma omp taskloop grainsize(10)
    for (int i = 0; i < n; ++i) hit(i);
  }
  all_hit(8);
}

static void region_reduction(void) {
  long sum = 0;
#pragma omp parallel reduction(task, + : sum)
  {
    sum += 1;
    for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += 1;
    }
  }
  int const threads = omp_get_max_threads();
  check(sum == 11L * threads);
  sum = 0;
#pragma omp parallel shared(sum)
  {
#pragma omp for reduction(task, + : sum)
    for (int i = 0; i < n; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
  }
  check(sum == (long)n * (n - 1) / 2);
}

int main(int argc, char** argv) {
  int const rounds = argc > 1 ? atoi(argv[1]) : 5;
  for (int r = 0; r < rounds; ++r) {
#pragma omp parallel
#pragma omp single
    {
      forms();
      values();
      sizes();
    }
    region_reduction();
  }
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
