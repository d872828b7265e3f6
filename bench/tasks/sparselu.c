// The LU factorisation of a matrix of blocks, most of which are empty at first: a task for each block that a step
// changes. Between the steps either taskwait, or nothing but dependences of the blocks. Both do the same operations on
// each block in the same order as a serial run, so the results are equal to the last bit.
#include <stdlib.h>
#include <string.h>

#include "tasks/programs.h"

enum { most_blocks = 64, most_side = 32 };

static const struct { int blocks, side; } shapes[input_count] = {{8, 8}, {48, 32}, {64, 32}};

typedef double* grid[most_blocks][most_blocks];  // 0: an empty block

static int blocks;
static int side;  // of a block
static grid work;
static grid expected;

static double* new_block(void) {
  double* block = calloc((size_t)(side * side), sizeof *block);
  if (block == 0) abort();
  return block;
}

// What becomes of a block on the diagonal, of one to its right, of one below it, and of one in the rest.
static void factorise(double* d) {
  for (int k = 0; k < side; ++k)
    for (int i = k + 1; i < side; ++i) {
      d[i * side + k] /= d[k * side + k];
      for (int j = k + 1; j < side; ++j) d[i * side + j] -= d[i * side + k] * d[k * side + j];
    }
}

static void solve_row(const double* d, double* right) {
  for (int k = 0; k < side; ++k)
    for (int i = k + 1; i < side; ++i)
      for (int j = 0; j < side; ++j) right[i * side + j] -= d[i * side + k] * right[k * side + j];
}

static void solve_column(const double* d, double* below) {
  for (int i = 0; i < side; ++i)
    for (int k = 0; k < side; ++k) {
      below[i * side + k] /= d[k * side + k];
      for (int j = k + 1; j < side; ++j) below[i * side + j] -= below[i * side + k] * d[k * side + j];
    }
}

static void subtract_product(const double* below, const double* right, double* inner) {
  for (int i = 0; i < side; ++i)
    for (int k = 0; k < side; ++k)
      for (int j = 0; j < side; ++j) inner[i * side + j] -= below[i * side + k] * right[k * side + j];
}

static void serial(grid m) {
  for (int k = 0; k < blocks; ++k) {
    factorise(m[k][k]);
    for (int j = k + 1; j < blocks; ++j)
      if (m[k][j]) solve_row(m[k][k], m[k][j]);
    for (int i = k + 1; i < blocks; ++i)
      if (m[i][k]) solve_column(m[k][k], m[i][k]);
    for (int i = k + 1; i < blocks; ++i)
      for (int j = k + 1; j < blocks; ++j) {
        if (!m[i][k] || !m[k][j]) continue;
        if (!m[i][j]) m[i][j] = new_block();
        subtract_product(m[i][k], m[k][j], m[i][j]);
      }
  }
}

static void run_in_steps(void) {
  for (int k = 0; k < blocks; ++k) {
    double* diagonal = work[k][k];
    factorise(diagonal);
    for (int other = k + 1; other < blocks; ++other) {
      double* right = work[k][other];
      double* below = work[other][k];
      if (right) {
#pragma omp task
        solve_row(diagonal, right);
      }
      if (below) {
#pragma omp task
        solve_column(diagonal, below);
      }
    }
#pragma omp taskwait
    for (int i = k + 1; i < blocks; ++i)
      for (int j = k + 1; j < blocks; ++j) {
        const double* below = work[i][k];
        const double* right = work[k][j];
        if (!below || !right) continue;
        if (!work[i][j]) work[i][j] = new_block();
        double* inner = work[i][j];
#pragma omp task
        subtract_product(below, right, inner);
      }
#pragma omp taskwait
  }
}

// Which blocks there will be is known to the thread that makes the tasks; what is in them is the tasks' business.
static void run_by_dependences(void) {
  for (int k = 0; k < blocks; ++k) {
    double* diagonal = work[k][k];
#pragma omp task depend(inout : diagonal[0])
    factorise(diagonal);
    for (int other = k + 1; other < blocks; ++other) {
      double* right = work[k][other];
      double* below = work[other][k];
      if (right) {
#pragma omp task depend(in : diagonal[0]) depend(inout : right[0])
        solve_row(diagonal, right);
      }
      if (below) {
#pragma omp task depend(in : diagonal[0]) depend(inout : below[0])
        solve_column(diagonal, below);
      }
    }
    for (int i = k + 1; i < blocks; ++i)
      for (int j = k + 1; j < blocks; ++j) {
        const double* below = work[i][k];
        const double* right = work[k][j];
        if (!below || !right) continue;
        if (!work[i][j]) work[i][j] = new_block();
        double* inner = work[i][j];
#pragma omp task depend(in : below[0], right[0]) depend(inout : inner[0])
        subtract_product(below, right, inner);
      }
  }
#pragma omp taskwait
}

static void clear(grid m) {
  for (int i = 0; i < most_blocks; ++i)
    for (int j = 0; j < most_blocks; ++j) {
      free(m[i][j]);
      m[i][j] = 0;
    }
}

// Three diagonals, and a block here and there. The diagonal's own is heavy enough to need no pivots.
static void fill(grid m) {
  clear(m);
  for (int i = 0; i < blocks; ++i)
    for (int j = 0; j < blocks; ++j) {
      const unsigned long seed = mixed((unsigned long)(i * most_blocks + j));
      if (abs(i - j) > 1 && seed % 6 != 0) continue;
      m[i][j] = new_block();
      for (int k = 0; k < side * side; ++k) m[i][j][k] = fraction(mixed(seed + (unsigned long)k)) - 0.5;
      for (int k = 0; k < side && i == j; ++k) m[i][j][k * side + k] += blocks * side;
    }
}

static void set_up(enum input input) {
  blocks = shapes[input].blocks;
  side = shapes[input].side;
  fill(expected);
  serial(expected);
}

static void prepare(void) { fill(work); }

static bool right(void) {
  for (int i = 0; i < blocks; ++i)
    for (int j = 0; j < blocks; ++j) {
      if ((work[i][j] == 0) != (expected[i][j] == 0)) return false;
      if (work[i][j] && memcmp(work[i][j], expected[i][j], sizeof(double) * (size_t)(side * side)) != 0) return false;
    }
  return true;
}

const struct task_program sparselu_programs[] = {
    {"sparselu", set_up, prepare, run_in_steps, right},
    {"sparselu_deps", set_up, prepare, run_by_dependences, right},
    {0},
};
