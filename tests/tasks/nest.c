// Trees of tasks: what taskwait, taskgroup and barrier wait for, however deep, final, untied and undeferred tasks among
// them.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong;
static void check(int right) {
  if (!right) {
#pragma omp atomic
    ++wrong;
  }
}

static int fib(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a) final(n < 6)
  a = fib(n - 1);
#pragma omp task shared(b) untied
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static int fib_untied(int n) {
  int r;
  if (n < 2) return n;
#pragma omp taskgroup
  {
    int a = 0, b = 0;
#pragma omp task untied shared(a, r)
    {
      int x, y;
#pragma omp task untied shared(x)
      x = fib_untied(n - 1);
#pragma omp task untied shared(y)
      y = fib_untied(n - 2);
#pragma omp taskyield
#pragma omp taskwait
      a = x + y;
      r = a;
    }
    (void)b;
  }
  return r;
}

static int never;  // so that the compiler has to ask
static void untied_in_place(void) {
  int children = 0, after = 0;
#pragma omp task if (never) untied shared(children, after)
  {
    for (int i = 0; i < 16; ++i) {
      if (i % 2) {
#pragma omp task shared(children)
#pragma omp atomic
        ++children;
      } else {
#pragma omp task untied shared(children)
#pragma omp atomic
        ++children;
      }
    }
#pragma omp taskwait
    after = children;
  }
  check(after == 16);
}

static int queens(int n, int row, unsigned columns, unsigned up, unsigned down) {
  if (row == n) return 1;
  int total = 0;
  for (int c = 0; c < n; ++c) {
    unsigned const bit = 1u << c, u = 1u << (row + c), d = 1u << (row - c + n);
    if (columns & bit || up & u || down & d) continue;
#pragma omp task shared(total) if (row < 6)
    {
      int const found = queens(n, row + 1, columns | bit, up | u, down | d);
#pragma omp atomic
      total += found;
    }
  }
#pragma omp taskwait
  return total;
}

static void plant(int depth, int* leaves) {
  if (depth == 0) {
#pragma omp atomic
    ++*leaves;
    return;
  }
  for (int i = 0; i < 3; ++i) {
#pragma omp task
    plant(depth - 1, leaves);
  }
  // no taskwait: the children outlive this task
}

static void groups(int depth) {
  int leaves = 0;
#pragma omp task shared(leaves)
  {
    int inner = 0;
#pragma omp taskgroup
    {
      plant(4, &inner);
#pragma omp taskgroup
      plant(3, &inner);
#pragma omp task if (0) shared(inner)
      plant(2, &inner);
    }
    check(inner == 81 + 27 + 9);
#pragma omp atomic
    ++leaves;
  }
  if (depth > 0) {
#pragma omp taskgroup
    {
#pragma omp task
      groups(depth - 1);
#pragma omp task
      groups(depth - 1);
    }
  }
#pragma omp taskwait
  check(leaves == 1);
}

static void merge_sort(int* v, int* tmp, int n) {
  if (n < 32) {
    for (int i = 1; i < n; ++i)
      for (int j = i; j > 0 && v[j - 1] > v[j]; --j) {
        int const t = v[j];
        v[j] = v[j - 1];
        v[j - 1] = t;
      }
    return;
  }
  int const h = n / 2;
#pragma omp task
  merge_sort(v, tmp, h);
#pragma omp task
  merge_sort(v + h, tmp + h, n - h);
#pragma omp taskwait
  int i = 0, j = h, k = 0;
  while (i < h && j < n) tmp[k++] = v[i] <= v[j] ? v[i++] : v[j++];
  while (i < h) tmp[k++] = v[i++];
  while (j < n) tmp[k++] = v[j++];
  for (i = 0; i < n; ++i) v[i] = tmp[i];
}

struct large {
  char bytes[6000];
};

int main(int argc, char** argv) {
  int const rounds = argc > 1 ? atoi(argv[1]) : 5;
  for (int r = 0; r < rounds; ++r) {
#pragma omp parallel
#pragma omp single
    {
      check(fib(16) == 987);
      check(fib_untied(9) == 34);
      check(queens(8, 0, 0, 0, 0) == 92);
      groups(3);
      untied_in_place();
      enum { n = 20000 };
      int* v = malloc(2 * n * sizeof *v);
      for (int i = 0; i < n; ++i) v[i] = rand() % 100000;
      merge_sort(v, v + n, n);
      for (int i = 1; i < n; ++i) check(v[i - 1] <= v[i]);
      free(v);
    }
    // the barrier alone waits for all descendants
    int leaves = 0;
#pragma omp parallel shared(leaves)
    {
      plant(4, &leaves);
#pragma omp barrier
      check(leaves == 81 * omp_get_num_threads());
#pragma omp barrier
#pragma omp single nowait
      for (int i = 0; i < 2000; ++i) {
#pragma omp task shared(leaves)
#pragma omp atomic
        --leaves;
      }
    }
    check(leaves == 81 * omp_get_max_threads() - 2000);
    // one maker, many takers, large arguments and aligned ones
    long sum = 0;
#pragma omp parallel shared(sum)
#pragma omp single
    for (int i = 0; i < 100; ++i) {
      struct large l;
      l.bytes[0] = (char)i;
      l.bytes[5999] = 1;
      _Alignas(256) double d = i;
#pragma omp task firstprivate(l, d) shared(sum)
      {
        check(l.bytes[0] == (char)(int)d);
#pragma omp atomic
        sum += l.bytes[5999];
      }
    }
    check(sum == 100);
    // tasks in a region of one inside a task
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 8; ++i) {
#pragma omp task
      {
        int x = 0;
#pragma omp parallel num_threads(2) shared(x)
        {
#pragma omp task shared(x)
#pragma omp atomic
          ++x;
        }
        check(x == 2 || omp_get_max_active_levels() == 1);
      }
    }
  }
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
