/* Two kinds of parallel programs in one, checked against their serial forms.
 *
 *   heat     2D heat diffusion: thousands of parallel regions of a few microseconds each
 *   queens   the ways to put n queens on an n x n board: a tree of tasks
 *
 * Plain OpenMP: gcc -O2 -fopenmp heat.c, or clang. Prints "<part> <answer> <milliseconds>" per part, and exits with 1
 * where an answer is wrong. Usage: heat [steps] [queens] */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 96, MAX_QUEENS = 14 };

typedef double grid[SIDE][SIDE];

static const long solutions[MAX_QUEENS + 1] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596};

static void heat_start(grid g) {
  memset(g, 0, sizeof(grid));
  for (int i = 0; i < SIDE; ++i) g[0][i] = 100.0;
}

static void heat_row(grid to, grid from, int i) {
  for (int j = 1; j < SIDE - 1; ++j)
    to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

/* The sum of all cells after `steps` steps, summed in one order so that every number of threads gives the same. */
static double heat_sum(grid g) {
  double sum = 0;
  for (int i = 0; i < SIDE; ++i)
    for (int j = 0; j < SIDE; ++j) sum += g[i][j];
  return sum;
}

static double heat_parallel(int steps) {
  static grid a, b;
  heat_start(a);
  heat_start(b);
  for (int step = 0; step < steps; ++step) {
    grid* from = step % 2 ? &b : &a;
    grid* to = step % 2 ? &a : &b;
#pragma omp parallel for schedule(static)
    for (int i = 1; i < SIDE - 1; ++i) heat_row(*to, *from, i);
  }
  return heat_sum(steps % 2 ? b : a);
}

static double heat_serial(int steps) {
  static grid a, b;
  heat_start(a);
  heat_start(b);
  for (int step = 0; step < steps; ++step)
    for (int i = 1; i < SIDE - 1; ++i) heat_row(step % 2 ? a : b, step % 2 ? b : a, i);
  return heat_sum(steps % 2 ? b : a);
}

/* Bits of `columns`, `left` and `right`: squares of the next row that a queen above attacks. */
static long queens(int n, int row, unsigned columns, unsigned left, unsigned right) {
  long found[MAX_QUEENS] = {0};
  long sum = 0;
  if (row == n) return 1;
  for (int i = 0; i < n; ++i) {
    unsigned bit = 1u << i;
    if ((columns | left | right) & bit) continue;
#pragma omp task shared(found) firstprivate(i, bit)
    found[i] = queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
#pragma omp taskwait
  for (int i = 0; i < n; ++i) sum += found[i];
  return sum;
}

static int report(const char* part, double answer, double expected, double seconds) {
  printf("%-8s %.6f %.1f\n", part, answer, seconds * 1e3);
  if (answer == expected) return 0;
  printf("%s is wrong: %.17g instead of %.17g\n", part, answer, expected);
  return 1;
}

int main(int argc, char** argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 20000;
  int n = argc > 2 ? atoi(argv[2]) : 11;
  int wrong = 0;
  int asked = argc > 1 && strcmp(argv[1], "--help") == 0;
  if (asked || steps < 0 || n < 1 || n > MAX_QUEENS) {
    fprintf(asked ? stdout : stderr, "usage: %s [steps >= 0] [queens 1..%d]\n", argv[0], MAX_QUEENS);
    return asked ? 0 : 2;
  }

#pragma omp parallel
  { /* the threads start here, so that their start is in no figure below */
  }

  double start = omp_get_wtime();
  double answer = heat_parallel(steps);
  double seconds = omp_get_wtime() - start;
  wrong |= report("heat", answer, heat_serial(steps), seconds);

  long ways = 0;
  start = omp_get_wtime();
#pragma omp parallel
#pragma omp single
  ways = queens(n, 0, 0, 0, 0);
  wrong |= report("queens", (double)ways, (double)solutions[n], omp_get_wtime() - start);
  return wrong;
}
