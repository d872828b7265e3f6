// Whatever orders two accesses but tasks: regions, barriers, exclusion, worksharing, cancellation. No access is atomic
// that need not be, so each missing edge is a report. OMP_CANCELLATION is on.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define MANY 64

static int wrong;
static void check(int right, const char* what) {
  if (!right) {
    printf("wrong: %s\n", what);
    ++wrong;
  }
}

static int own;
#pragma omp threadprivate(own)

static void regions(void) {
  int shared = 1, sum = 0, seen[MANY] = {0};
  for (int round = 0; round < 5; ++round) {
#pragma omp parallel
    {
      seen[omp_get_thread_num()] += shared;
#pragma omp barrier
#pragma omp masked
      shared = 2;
#pragma omp barrier
      seen[omp_get_thread_num()] += shared;
    }
    for (int i = 0; i < MANY; ++i) sum += seen[i];
    shared = 1;
  }
  check(sum > 0, "regions");
  int inner[4][4] = {{0}};
#pragma omp parallel num_threads(3)
  {
    int* const row = inner[omp_get_thread_num()];
    row[3] = 1;
#pragma omp parallel num_threads(2)
    row[omp_get_thread_num()] = row[3];
    row[2] = row[0] + row[1];
  }
  check(inner[0][2] >= 1, "nested regions");
  own = 7;
  int copies = 0;
#pragma omp parallel copyin(own) reduction(+ : copies)
  copies += own++ == 7;
  check(copies >= 1, "copyin");
}

static void exclusion(void) {
  int a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel
  for (int i = 0; i < 20; ++i) {
#pragma omp critical
    ++a;
#pragma omp critical(by_name)
    ++b;
    omp_set_lock(&lock);
    ++c;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    ++d;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    while (!omp_test_lock(&lock)) {
    }
    ++e;
    omp_unset_lock(&lock);
    while (omp_test_nest_lock(&nest) == 0) {
    }
    ++d;
    omp_unset_nest_lock(&nest);
#pragma omp atomic
    ++f;
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  check(a == b && b == c && c == e && e == f && d == 2 * a, "exclusion");
}

static void worksharing(void) {
  static int x[1000], y[1000];
  int last = 0, copied = 0, order = 0, sections = 0;
  double huge = 0;
#pragma omp parallel firstprivate(copied)
  {
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 1000; ++i) x[i] = i;
#pragma omp for schedule(guided) lastprivate(last)
    for (int i = 0; i < 1000; ++i) y[i] = last = x[999 - i];
#pragma omp for schedule(dynamic) ordered
    for (int i = 0; i < 100; ++i) {
      int const mine = x[i];
#pragma omp ordered
      order = 2 * order % 1009 + mine;
    }
#pragma omp for schedule(static, 1) ordered nowait
    for (int i = 0; i < 100; ++i) {
#pragma omp ordered
      order = 2 * order % 1009 + i;
    }
#pragma omp barrier
#pragma omp single copyprivate(copied)
    copied = y[0] + order % 2 - order % 2;
#pragma omp critical
    sections += copied;
#pragma omp barrier
#pragma omp sections reduction(+ : sections)
    {
#pragma omp section
      sections += y[1];
#pragma omp section
      sections += y[2];
    }
#pragma omp single
    x[0] = sections;
#pragma omp for reduction(+ : huge) reduction(max : order)
    for (int i = 0; i < 1000; ++i) {
      huge += x[i];
      if (x[i] > order) order = x[i];
    }
  }
  check(last == 0 && huge > 0, "worksharing");
  int const n = 12;
  static int grid[13][13];
  for (int i = 0; i <= n; ++i) grid[i][0] = grid[0][i] = 1;
#pragma omp parallel for ordered(2) schedule(dynamic)
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= n; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      grid[i][j] = (grid[i - 1][j] + grid[i][j - 1]) % 1000;
#pragma omp ordered depend(source)
    }
#pragma omp parallel for ordered(1) schedule(static)
  for (int i = 1; i <= n; ++i) {
#pragma omp ordered depend(sink : i - 1)
    grid[i][i] += grid[i - 1][i - 1];
#pragma omp ordered depend(source)
  }
  check(grid[1][1] == 3, "doacross");
#pragma omp teams num_teams(2)
#pragma omp distribute parallel for
  for (int i = 0; i < 1000; ++i) x[i] = y[i];
  check(x[5] == y[5], "teams");
}

static void cancellation(void) {
  int found = -1, after[MANY] = {0};
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 1000; ++i) {
      if (i == 40) {
#pragma omp critical
        found = i;
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
    after[omp_get_thread_num()] = found;
  }
  check(after[0] == 40, "a cancelled loop");
  int value = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
      value = 1;
#pragma omp cancel parallel
    }
#pragma omp barrier
  }
  check(value == 1, "a cancelled region");
}

int main(void) {
  for (int round = 0; round < 3; ++round) {
    regions();
    exclusion();
    worksharing();
    cancellation();
  }
  if (wrong == 0) puts("ok");
  return wrong != 0;
}
