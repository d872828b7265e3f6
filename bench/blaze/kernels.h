// Four operations on dense vectors and matrices of doubles, divided among threads as the Blaze library's OpenMP
// assignment does it: a parallel region for each operation, in it a loop with one part for each thread, dealt by
// schedule(dynamic, 1). Below its threshold an operation runs serially, without a region.
#pragma once

#include <stdbool.h>

// Elements of the result from which on an operation is parallel: Blaze's own defaults.
enum {
  daxpy_threshold = 38000,
  vector_add_threshold = 38000,
  matrix_add_threshold = 36100,
  matrix_mult_threshold = 3025
};

// Rows stand one behind the other, `stride` doubles apart.
struct matrix {
  double* at;
  long n;
  long stride;
};

// Whole SIMD vectors, and cache lines of their own.
static inline long stride_of(long n) { return (n + 7) / 8 * 8; }

void daxpy(long n, double* b, const double* a);                         // b += 3.0 * a
void dvecdvecadd(long n, double* c, const double* a, const double* b);  // c = a + b
void dmatdmatadd(struct matrix c, struct matrix a, struct matrix b);    // C = A + B
void dmatdmatmult(struct matrix c, struct matrix a, struct matrix b);   // C = A * B
