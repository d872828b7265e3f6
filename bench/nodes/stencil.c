// Jacobi sweeps of a square from one field to another and back: rows at the border of two nodes' parts travel.
#include <stdlib.h>
#include <string.h>

#include "nodes/programs.h"

static const int every_side[input_count] = {66, 1026};
enum { sweeps = 10 };
static int side;
static double *from, *to, *expected;

static void begin(double* field) {
  memset(field, 0, sizeof(double) * (size_t)side * (size_t)side);
  for (int i = 0; i < side; ++i) field[i] = 1;
}

static void sweep_row(const double* a, double* b, int row) {
  for (int i = 1; i < side - 1; ++i) {
    const double* at = a + (long)row * side + i;
    b[(long)row * side + i] = 0.25 * (at[-1] + at[1] + at[-side] + at[side]);
  }
}

static void set_up(enum input input) {
  side = every_side[input];
  const size_t bytes = sizeof(double) * (size_t)side * (size_t)side;
  from = malloc(bytes);
  to = malloc(bytes);
  expected = malloc(bytes);
  double* other = malloc(bytes);
  begin(expected);
  begin(other);
  for (int s = 0; s < sweeps; s += 2) {
    for (int row = 1; row < side - 1; ++row) sweep_row(expected, other, row);
    for (int row = 1; row < side - 1; ++row) sweep_row(other, expected, row);
  }
  free(other);
  begin(from);
  begin(to);
}

static void run(void) {
#pragma omp parallel
  {
#pragma omp for
    for (int row = 1; row < side - 1; ++row) {
      memset(from + (long)row * side, 0, sizeof(double) * (size_t)side);
      memset(to + (long)row * side, 0, sizeof(double) * (size_t)side);
    }
    for (int s = 0; s < sweeps; s += 2) {
#pragma omp for
      for (int row = 1; row < side - 1; ++row) sweep_row(from, to, row);
#pragma omp for
      for (int row = 1; row < side - 1; ++row) sweep_row(to, from, row);
    }
  }
}

static bool right(void) { return memcmp(from, expected, sizeof(double) * (size_t)side * (size_t)side) == 0; }

const struct node_program stencil_program = {"stencil", set_up, run, right};
