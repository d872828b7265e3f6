#include "blaze/kernels.h"

#include <omp.h>

static long least(long a, long b) { return a < b ? a : b; }

// One part of `n` when it is cut into `parts`, in whole cache lines.
static long part_of(long n, long parts) { return stride_of((n + parts - 1) / parts); }

static void daxpy_part(long n, double* restrict b, const double* restrict a) {
  for (long i = 0; i < n; ++i) b[i] += 3.0 * a[i];
}

static void add_part(long n, double* restrict c, const double* restrict a, const double* restrict b) {
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

void daxpy(long n, double* b, const double* a) {
  if (n < daxpy_threshold) {
    daxpy_part(n, b, a);
    return;
  }
#pragma omp parallel
  {
    const int parts = omp_get_num_threads();
    const long part = part_of(n, parts);
#pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < parts; ++i) {
      const long from = i * part;
      if (from < n) daxpy_part(least(part, n - from), b + from, a + from);
    }
  }
}

void dvecdvecadd(long n, double* c, const double* a, const double* b) {
  if (n < vector_add_threshold) {
    add_part(n, c, a, b);
    return;
  }
#pragma omp parallel
  {
    const int parts = omp_get_num_threads();
    const long part = part_of(n, parts);
#pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < parts; ++i) {
      const long from = i * part;
      if (from < n) add_part(least(part, n - from), c + from, a + from, b + from);
    }
  }
}

// A part of a matrix: the rows and columns [from, to).
struct block {
  long row, row_end, column, column_end;
};

static struct block whole(struct matrix m) { return (struct block){0, m.n, 0, m.n}; }

// The i-th of a grid of `parts` blocks, as nearly square as the number allows; it may be empty.
static struct block block_of(struct matrix m, int i, int parts) {
  int rows = 1;
  for (int divisor = 1; divisor * divisor <= parts; ++divisor)
    if (parts % divisor == 0) rows = divisor;
  const int columns = parts / rows;
  const long height = (m.n + rows - 1) / rows;
  const long width = part_of(m.n, columns);
  const struct block b = {least(i / columns * height, m.n), 0, least(i % columns * width, m.n), 0};
  return (struct block){b.row, least(b.row + height, m.n), b.column, least(b.column + width, m.n)};
}

static void add_block(struct block part, struct matrix c, struct matrix a, struct matrix b) {
  for (long i = part.row; i < part.row_end; ++i) {
    const long from = i * c.stride + part.column;
    add_part(part.column_end - part.column, c.at + from, a.at + from, b.at + from);
  }
}

// All of C, by a block for each thread if it has so many elements that this pays.
static void by_blocks(long threshold, void (*work)(struct block, struct matrix, struct matrix, struct matrix),
                      struct matrix c, struct matrix a, struct matrix b) {
  if (c.n * c.n < threshold) {
    work(whole(c), c, a, b);
    return;
  }
#pragma omp parallel
  {
    const int parts = omp_get_num_threads();
#pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < parts; ++i) work(block_of(c, i, parts), c, a, b);
  }
}

void dmatdmatadd(struct matrix c, struct matrix a, struct matrix b) {
  by_blocks(matrix_add_threshold, add_block, c, a, b);
}

// Two neighbouring doubles of a row, wherever they stand: what every x86-64 and aarch64 has registers for.
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

enum { tile_rows = 2, tile_columns = 8, tile_pairs = tile_columns / 2, depth = 256 };

// A tile of C: 2 x 8 sums that stay in registers while k runs over [from, to). The first stretch of k begins with
// zeros, the others with what is there.
static void full_tile(struct matrix c, struct matrix a, struct matrix b, long i, long j, long from, long to) {
  const double* upper = a.at + i * a.stride;
  const double* lower = upper + a.stride;
  pair* to_high = (pair*)(c.at + i * c.stride + j);
  pair* to_low = (pair*)(c.at + (i + 1) * c.stride + j);
  pair high[tile_pairs] = {{0}};
  pair low[tile_pairs] = {{0}};
  for (int p = 0; p < tile_pairs && from > 0; ++p) {
    high[p] = to_high[p];
    low[p] = to_low[p];
  }
  for (long k = from; k < to; ++k) {
    const pair* row = (const pair*)(b.at + k * b.stride + j);
    for (int p = 0; p < tile_pairs; ++p) {
      high[p] += upper[k] * row[p];
      low[p] += lower[k] * row[p];
    }
  }
  for (int p = 0; p < tile_pairs; ++p) {
    to_high[p] = high[p];
    to_low[p] = low[p];
  }
}

// What is left at the edges.
static void small_tile(struct matrix c, struct matrix a, struct matrix b, struct block part, long from, long to) {
  for (long i = part.row; i < part.row_end; ++i)
    for (long j = part.column; j < part.column_end; ++j) {
      double sum = from == 0 ? 0 : c.at[i * c.stride + j];
      for (long k = from; k < to; ++k) sum += a.at[i * a.stride + k] * b.at[k * b.stride + j];
      c.at[i * c.stride + j] = sum;
    }
}

// The columns of B that a tile needs stay in the first-level cache while all rows of the block pass.
static void multiply_block(struct block part, struct matrix c, struct matrix a, struct matrix b) {
  for (long from = 0; from < c.n; from += depth) {
    const long to = least(from + depth, c.n);
    for (long j = part.column; j < part.column_end; j += tile_columns) {
      const long j_end = least(j + tile_columns, part.column_end);
      for (long i = part.row; i < part.row_end; i += tile_rows) {
        const long i_end = least(i + tile_rows, part.row_end);
        if (i_end - i == tile_rows && j_end - j == tile_columns)
          full_tile(c, a, b, i, j, from, to);
        else
          small_tile(c, a, b, (struct block){i, i_end, j, j_end}, from, to);
      }
    }
  }
}

void dmatdmatmult(struct matrix c, struct matrix a, struct matrix b) {
  by_blocks(matrix_mult_threshold, multiply_block, c, a, b);
}
