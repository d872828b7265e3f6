// MFLOP/s of four vector and matrix operations over sizes: the benchmarks of the paper about hpxMP ("An Introduction to
// hpxMP", 2019), where Blaze's benchmark suite ran them. One JSON object per kernel and size and line on standard
// output.
//
//   OMP_NUM_THREADS=8 blaze_gcc --only daxpy --sizes 1000,100000
//
// All values are small whole numbers, so that every sum is exact in whatever order it is made.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blaze/kernels.h"
#include "blaze/sizes.h"
#include "common/program.h"

struct kernel {
  const char* name;
  bool square;  // n x n, else n
  long threshold;
  void (*run)(long n);
  // Whether the result is that of a serial computation.
  bool (*right)(long n, long reps);
  double factor;  // operations: factor * n^power
  int power;
  long few[20];
  long most;
};

// The operands, and the result of all but daxpy, which overwrites b.
static double* a;
static double* b;
static double* c;

static struct matrix square_of(double* at, long n) { return (struct matrix){at, n, stride_of(n)}; }

static void run_daxpy(long n) { daxpy(n, b, a); }
static void run_vector_add(long n) { dvecdvecadd(n, c, a, b); }
static void run_matrix_add(long n) { dmatdmatadd(square_of(c, n), square_of(a, n), square_of(b, n)); }
static void run_matrix_mult(long n) { dmatdmatmult(square_of(c, n), square_of(a, n), square_of(b, n)); }

static double value_of_a(long i) { return (double)(i * 7 % 11 - 5); }
static double value_of_b(long i) { return (double)(i * 5 % 13 - 6); }

static void set(long i) {
  a[i] = value_of_a(i);
  b[i] = value_of_b(i);
  c[i] = -1e9;  // no sum is that
}

static long doubles_of(const struct kernel* k, long n) { return k->square ? n * stride_of(n) : n; }

static bool daxpy_right(long n, long reps) {
  for (long i = 0; i < n; ++i)
    if (b[i] != value_of_b(i) + 3.0 * (double)reps * value_of_a(i)) return false;
  return true;
}

static bool vector_add_right(long n, long reps) {
  (void)reps;
  for (long i = 0; i < n; ++i)
    if (c[i] != value_of_a(i) + value_of_b(i)) return false;
  return true;
}

static bool matrix_add_right(long n, long reps) {
  (void)reps;
  const long stride = stride_of(n);
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j)
      if (c[i * stride + j] != value_of_a(i * stride + j) + value_of_b(i * stride + j)) return false;
  return true;
}

static double entry(long i, long j, long n) {
  const long stride = stride_of(n);
  double sum = 0;
  for (long k = 0; k < n; ++k) sum += value_of_a(i * stride + k) * value_of_b(k * stride + j);
  return sum;
}

// y = M x, with the values of a matrix that is computed or stored.
static void times(double* y, const double* m, const double* x, long n) {
  for (long i = 0; i < n; ++i) {
    y[i] = 0;
    for (long k = 0; k < n; ++k) y[i] += m[i * stride_of(n) + k] * x[k];
  }
}

// Small products are computed anew; of large ones C x = A (B x) is checked for a vector x without zeros (Freivalds),
// which every single wrong entry breaks.
static bool matrix_mult_right(long n, long reps) {
  (void)reps;
  enum { small = 64, most = 1024 };
  if (n <= small) {
    for (long i = 0; i < n; ++i)
      for (long j = 0; j < n; ++j)
        if (c[i * stride_of(n) + j] != entry(i, j, n)) return false;
    return true;
  }
  static double x[most], bx[most], abx[most], cx[most];
  unsigned random = 12345;
  for (long i = 0; i < n; ++i) {
    random = random * 1664525U + 1013904223U;
    x[i] = 1 + random % 1024;
  }
  times(bx, b, x, n);
  times(abx, a, bx, n);
  times(cx, c, x, n);
  return memcmp(abx, cx, (size_t)n * sizeof *cx) == 0;
}

// The few are the powers of ten, the thresholds, and the sizes that the paper speaks of.
static const struct kernel kernels[] = {
    {.name = "daxpy",
     .threshold = daxpy_threshold,
     .run = run_daxpy,
     .right = daxpy_right,
     .factor = 2,
     .power = 1,
     .few = {1, 10, 100, 1000, 10000, 38000, 60437, 103258, 200000, 431318, 1017019, 2180065, 10000000},
     .most = 10000000},
    {.name = "dvecdvecadd",
     .threshold = vector_add_threshold,
     .run = run_vector_add,
     .right = vector_add_right,
     .factor = 1,
     .power = 1,
     .few = {1, 10, 100, 1000, 10000, 38000, 60437, 103258, 200000, 431318, 1017019, 2180065, 10000000},
     .most = 10000000},
    {.name = "dmatdmatadd",
     .square = true,
     .threshold = matrix_add_threshold,
     .run = run_matrix_add,
     .right = matrix_add_right,
     .factor = 1,
     .power = 2,
     .few = {1, 10, 50, 100, 190, 230, 300, 455, 700, 1000, 2000, 3162},
     .most = 3162},
    {.name = "dmatdmatmult",
     .square = true,
     .threshold = matrix_mult_threshold,
     .run = run_matrix_mult,
     .right = matrix_mult_right,
     .factor = 2,
     .power = 3,
     .few = {1, 10, 30, 55, 74, 90, 113, 150, 230, 300, 455},
     .most = 1000},
};
enum { kernel_count = sizeof kernels / sizeof kernels[0] };

struct job {
  const struct kernel* kernel;
  long n;
  char name[40];
};

static const struct job* job_of(const struct benchmark* self) { return self->what; }

static void prepare(const struct benchmark* self) {
  const struct job* job = job_of(self);
  const long count = doubles_of(job->kernel, job->n);
  if (job->kernel->threshold > count) {
    for (long i = 0; i < count; ++i) set(i);
    return;
  }
  // In parallel, so that pages come to stand where they will be used.
#pragma omp parallel for schedule(static)
  for (long i = 0; i < count; ++i) set(i);
}

static bool run(const struct benchmark* self, long reps) {
  const struct job* job = job_of(self);
  for (long i = 0; i < reps; ++i) job->kernel->run(job->n);
  return true;
}

static bool check(const struct benchmark* self, long reps) {
  const struct job* job = job_of(self);
  return job->kernel->right(job->n, reps);
}

static double flops_of(const struct kernel* k, double n) {
  double flops = k->factor;
  for (int i = 0; i < k->power; ++i) flops *= n;
  return flops;
}

static int make(struct benchmark** all) {
  static struct benchmark made[kernel_count * most_sizes];
  static struct job jobs[kernel_count * most_sizes];
  int count = 0;
  for (const struct kernel* k = kernels; k != kernels + kernel_count; ++k) {
    struct sizes sizes;
    make_sizes(&sizes, k->few, k->most, k->square);
    for (int i = 0; i < sizes.count; ++i) {
      struct job* job = &jobs[count];
      *job = (struct job){.kernel = k, .n = sizes.n[i]};
      snprintf(job->name, sizeof job->name, "%s/%ld", k->name, job->n);
      const bool parallel = (k->square ? job->n * job->n : job->n) >= k->threshold;
      made[count++] = (struct benchmark){.name = job->name,
                                         .what = job,
                                         .prepare = prepare,
                                         .run = run,
                                         .check = check,
                                         .flops = flops_of(k, (double)job->n),
                                         .kind = parallel ? "parallel" : "serial"};
    }
  }
  const unsigned long bytes = sizeof(double) * 3162 * (unsigned long)stride_of(3162);  // no vector is longer
  a = bench_memory(bytes);
  b = bench_memory(bytes);
  c = bench_memory(bytes);
  *all = made;
  return count;
}

static bool option(const char* name, const char* value) { return strcmp(name, "--sizes") == 0 && read_sizes(value); }

int main(int argc, char** argv) {
  const struct bench_program blaze = {.name = "blaze",
                                      .item = "kernel",
                                      .usage = "[--sizes few|all|ELEMENTS,...]",
                                      .samples = 5,
                                      .least_samples = 3,
                                      .sample_us = 1500,
                                      .budget_us = 300e3,
                                      .option = option,
                                      .round_trip_ns = omp_round_trip_ns,
                                      .make = make};
  return bench_main(&blaze, argc, argv);
}
