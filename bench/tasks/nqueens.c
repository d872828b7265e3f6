// In how many ways n queens stand on a board without threatening each other: a task for each square that a queen can
// take, which gets a copy of the board; with a cut-off, only in the first rows.
#include <stdlib.h>

#include "tasks/programs.h"

enum { most_rows = 20, task_rows = 3 };

static const int every_n[input_count] = {7, 11, 12};
static const int cut_n[input_count] = {8, 12, 14};

struct board {
  signed char column[most_rows];  // of the queen in each row
};

static int n;
static int cut;  // rows in which a queen is a task
static long answer;
static long expected;

static bool free_square(const struct board* b, int row, int column) {
  for (int above = 0; above < row; ++above) {
    const int apart = b->column[above] - column;
    if (apart == 0 || abs(apart) == row - above) return false;
  }
  return true;
}

static long serial(struct board* b, int row) {
  if (row == n) return 1;
  long ways = 0;
  for (int column = 0; column < n; ++column) {
    if (!free_square(b, row, column)) continue;
    b->column[row] = (signed char)column;
    ways += serial(b, row + 1);
  }
  return ways;
}

static long place(struct board b, int row) {
  if (row == n) return 1;
  if (row >= cut) return serial(&b, row);
  long ways[most_rows] = {0};
  for (int column = 0; column < n; ++column) {
    if (!free_square(&b, row, column)) continue;
    b.column[row] = (signed char)column;
#pragma omp task shared(ways) firstprivate(b, row, column)
    ways[column] = place(b, row + 1);
  }
#pragma omp taskwait
  long sum = 0;
  for (int column = 0; column < n; ++column) sum += ways[column];
  return sum;
}

static void set_up(int of, int rows) {
  n = of;
  cut = rows;
  struct board empty = {{0}};
  expected = serial(&empty, 0);
}

static void set_up_every(enum input input) { set_up(every_n[input], most_rows); }
static void set_up_cut(enum input input) { set_up(cut_n[input], task_rows); }
static void prepare(void) { answer = -1; }
static void run(void) { answer = place((struct board){{0}}, 0); }
static bool right(void) { return answer == expected; }

const struct task_program nqueens_programs[] = {
    {"nqueens", set_up_every, prepare, run, right},
    {"cut/nqueens", set_up_cut, prepare, run, right},
    {0},
};
