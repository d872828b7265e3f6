// Multiplies matrices as Strassen does: seven products of half the size, each a task, and each of those again; with a
// cut-off, only the upper levels are tasks. The values are small whole numbers, so that every sum is exact.
#include <stdlib.h>
#include <string.h>

#include "common/program.h"
#include "tasks/programs.h"

enum { leaf = 32, task_levels = 3 };

static const long sizes[input_count] = {128, 1024, 2048};

// A square part of a matrix: rows are `stride` apart.
struct part {
  double* at;
  long stride;
};

static long n;
static int cut;  // levels on which the products are tasks
static struct part left_matrix, right_matrix, answer;
static double* expected;

static struct part quarter(struct part m, long half, int row, int column) {
  return (struct part){m.at + row * half * m.stride + column * half, m.stride};
}

static void add(struct part to, struct part a, struct part b, double sign, long size) {
  for (long i = 0; i < size; ++i)
    for (long j = 0; j < size; ++j) to.at[i * to.stride + j] = a.at[i * a.stride + j] + sign * b.at[i * b.stride + j];
}

static void multiply_leaf(struct part c, struct part a, struct part b, long size) {
  for (long i = 0; i < size; ++i) {
    double* restrict row = c.at + i * c.stride;
    for (long j = 0; j < size; ++j) row[j] = 0;
    for (long k = 0; k < size; ++k) {
      const double factor = a.at[i * a.stride + k];
      const double* restrict other = b.at + k * b.stride;
      for (long j = 0; j < size; ++j) row[j] += factor * other[j];
    }
  }
}

static void multiply(struct part c, struct part a, struct part b, long size, int level);

// One factor of a product: a quarter, or the sum or difference of two.
struct factor {
  int row, column;  // of the first quarter
  double sign;      // of the second; 0: there is none
  int other_row, other_column;
};

static struct part factor_of(const struct factor* f, struct part m, double* space, long half) {
  const struct part first = quarter(m, half, f->row, f->column);
  if (f->sign == 0) return first;
  const struct part sum = {space, half};
  add(sum, first, quarter(m, half, f->other_row, f->other_column), f->sign, half);
  return sum;
}

static const struct factor factors[7][2] = {
    {{0, 0, 1, 1, 1}, {0, 0, 1, 1, 1}},   // (A11 + A22) (B11 + B22)
    {{1, 0, 1, 1, 1}, {0, 0, 0, 0, 0}},   // (A21 + A22) B11
    {{0, 0, 0, 0, 0}, {0, 1, -1, 1, 1}},  // A11 (B12 - B22)
    {{1, 1, 0, 0, 0}, {1, 0, -1, 0, 0}},  // A22 (B21 - B11)
    {{0, 0, 1, 0, 1}, {1, 1, 0, 0, 0}},   // (A11 + A12) B22
    {{1, 0, -1, 0, 0}, {0, 0, 1, 0, 1}},  // (A21 - A11) (B11 + B12)
    {{0, 1, -1, 1, 1}, {1, 0, 1, 1, 1}},  // (A12 - A22) (B21 + B22)
};

static double* doubles(long count) {
  double* memory = malloc((size_t)count * sizeof *memory);
  if (memory == 0) abort();
  return memory;
}

static void product(int which, double* to, struct part a, struct part b, long half, int level) {
  double* space = doubles(2 * half * half);
  const struct part x = factor_of(&factors[which][0], a, space, half);
  const struct part y = factor_of(&factors[which][1], b, space + half * half, half);
  multiply((struct part){to, half}, x, y, half, level + 1);
  free(space);
}

static void combine(struct part c, const double* m, long half) {
  const long all = half * half;
  const double *m1 = m, *m2 = m + all, *m3 = m2 + all, *m4 = m3 + all, *m5 = m4 + all, *m6 = m5 + all, *m7 = m6 + all;
  for (long i = 0; i < half; ++i) {
    double* upper = c.at + i * c.stride;
    double* lower = upper + half * c.stride;
    for (long j = 0; j < half; ++j) {
      const long k = i * half + j;
      upper[j] = m1[k] + m4[k] - m5[k] + m7[k];
      upper[j + half] = m3[k] + m5[k];
      lower[j] = m2[k] + m4[k];
      lower[j + half] = m1[k] - m2[k] + m3[k] + m6[k];
    }
  }
}

static void multiply(struct part c, struct part a, struct part b, long size, int level) {
  if (size <= leaf) {
    multiply_leaf(c, a, b, size);
    return;
  }
  const long half = size / 2;
  double* products = doubles(7 * half * half);
  for (int i = 0; i < 7; ++i) {
    double* to = products + i * half * half;
    if (level < cut) {
#pragma omp task firstprivate(i, to)
      product(i, to, a, b, half, level);
    } else {
      product(i, to, a, b, half, level);
    }
  }
#pragma omp taskwait
  combine(c, products, half);
  free(products);
}

static struct part matrix(long seed) {
  const struct part m = {bench_memory((unsigned long)(n * n) * sizeof(double)), n};
  for (long i = 0; i < n * n; ++i) m.at[i] = (double)(mixed((unsigned long)(i + seed)) % 7) - 3;
  return m;
}

static void set_up(enum input input, int levels) {
  cut = levels;
  if (n == sizes[input]) return;
  n = sizes[input];
  left_matrix = matrix(0);
  right_matrix = matrix(n * n);
  answer = matrix(2 * n * n);
  const struct part product = matrix(0);
  multiply_leaf(product, left_matrix, right_matrix, n);
  expected = product.at;
}

static void set_up_every(enum input input) { set_up(input, 64); }
static void set_up_cut(enum input input) { set_up(input, task_levels); }
static void prepare(void) {
  for (long i = 0; i < n * n; ++i) answer.at[i] = -1e9;
}
static void run(void) { multiply(answer, left_matrix, right_matrix, n, 0); }
static bool right(void) { return memcmp(answer.at, expected, (size_t)(n * n) * sizeof *expected) == 0; }

const struct task_program strassen_programs[] = {
    {"strassen", set_up_every, prepare, run, right},
    {"cut/strassen", set_up_cut, prepare, run, right},
    {0},
};
