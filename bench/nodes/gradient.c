// Conjugate gradients on a sparse matrix with a strong diagonal: each node reads a part of the vector that the others
// have written.
#include <math.h>
#include <stdlib.h>

#include "nodes/programs.h"

static const int every_rows[input_count] = {500, 20000};
enum { entries = 12, steps = 15 };
static int rows;
static int (*column)[entries];
static double *x, *r, *p, *q;

static void set_up(enum input input) {
  rows = every_rows[input];
  column = malloc(sizeof *column * (size_t)rows);
  x = malloc(sizeof(double) * (size_t)rows);
  r = malloc(sizeof(double) * (size_t)rows);
  p = malloc(sizeof(double) * (size_t)rows);
  q = malloc(sizeof(double) * (size_t)rows);
  for (int i = 0; i < rows; ++i)  // symmetric: i and j are neighbours at the same distances
    for (int k = 0; k < entries; k += 2) {
      const int distance = 1 + k * k * rows / 400;
      column[i][k] = (i + distance) % rows;
      column[i][k + 1] = (i - distance % rows + rows) % rows;
    }
}

static double applied(const double* v, int i) {
  double sum = (entries + 1) * v[i];
  for (int k = 0; k < entries; ++k) sum -= v[column[i][k]];
  return sum;
}

static void run(void) {
  double rho = 0, pq = 0, next = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : rho)
    for (int i = 0; i < rows; ++i) {
      x[i] = 0;
      r[i] = p[i] = 1 + i % 7;
      rho += r[i] * r[i];
    }
    for (int step = 0; step < steps; ++step) {
#pragma omp for reduction(+ : pq)
      for (int i = 0; i < rows; ++i) {
        q[i] = applied(p, i);
        pq += p[i] * q[i];
      }
      const double alpha = rho / pq;
#pragma omp for reduction(+ : next)
      for (int i = 0; i < rows; ++i) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        next += r[i] * r[i];
      }
      const double beta = next / rho;
#pragma omp for
      for (int i = 0; i < rows; ++i) p[i] = r[i] + beta * p[i];
#pragma omp single
      {
        rho = next;
        pq = next = 0;
      }
    }
  }
}

static bool right(void) {
  double wrong = 0, all = 0;
  for (int i = 0; i < rows; ++i) {
    const double b = 1 + i % 7, error = applied(x, i) - b;
    wrong += error * error;
    all += b * b;
  }
  return sqrt(wrong / all) < 1e-3;
}

const struct node_program gradient_program = {"gradient", set_up, run, right};
