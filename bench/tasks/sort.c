// Sorts integers as cilksort does: four quarters by tasks, merged by tasks that halve the longer part and look for its
// middle in the other.
#include <stdlib.h>
#include <string.h>

#include "common/program.h"
#include "tasks/programs.h"

enum { serial_sort = 2048, serial_merge = 2048, short_run = 20 };

static const long sizes[input_count] = {20000, 4 << 20, 32 << 20};

static long n;
static int* original;
static int* data;
static int* scratch;
static int* expected;

static void swap(int* a, int* b) {
  const int kept = *a;
  *a = *b;
  *b = kept;
}

static void insertion_sort(int* at, long count) {
  for (long i = 1; i < count; ++i) {
    const int value = at[i];
    long k = i;
    for (; k > 0 && at[k - 1] > value; --k) at[k] = at[k - 1];
    at[k] = value;
  }
}

static int middle_of_three(const int* at, long count) {
  const int a = at[0];
  const int b = at[count / 2];
  const int c = at[count - 1];
  if (a < b) return b < c ? b : (a < c ? c : a);
  return a < c ? a : (b < c ? c : b);
}

static void quicksort(int* at, long count) {
  while (count > short_run) {
    const int pivot = middle_of_three(at, count);
    long low = 0;
    long high = count - 1;
    while (low <= high) {
      while (at[low] < pivot) ++low;
      while (at[high] > pivot) --high;
      if (low <= high) swap(&at[low++], &at[high--]);
    }
    quicksort(at + low, count - low);
    count = high + 1;
  }
  insertion_sort(at, count);
}

static void merge_serially(const int* a, long a_count, const int* b, long b_count, int* to) {
  while (a_count > 0 && b_count > 0) {
    if (*b < *a) {
      *to++ = *b++;
      --b_count;
    } else {
      *to++ = *a++;
      --a_count;
    }
  }
  memcpy(to, a, (size_t)a_count * sizeof *to);
  memcpy(to + a_count, b, (size_t)b_count * sizeof *to);
}

// How many of the sorted `count` are less than `value`.
static long less_than(const int* at, long count, int value) {
  long from = 0;
  while (count > 0) {
    const long half = count / 2;
    if (at[from + half] < value) {
      from += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return from;
}

static void merge(const int* a, long a_count, const int* b, long b_count, int* to) {
  if (a_count < b_count) {
    merge(b, b_count, a, a_count, to);
    return;
  }
  if (a_count + b_count <= serial_merge) {
    merge_serially(a, a_count, b, b_count, to);
    return;
  }
  const long a_half = a_count / 2;
  const long b_half = less_than(b, b_count, a[a_half]);
#pragma omp task
  merge(a, a_half, b, b_half, to);
#pragma omp task
  merge(a + a_half, a_count - a_half, b + b_half, b_count - b_half, to + a_half + b_half);
#pragma omp taskwait
}

static void sort(int* at, int* free_space, long count) {
  if (count <= serial_sort) {
    quicksort(at, count);
    return;
  }
  const long quarter = count / 4;
  const long last = count - 3 * quarter;
  for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i)
    sort(at + i * quarter, free_space + i * quarter, i < 3 ? quarter : last);
  }
#pragma omp taskwait
#pragma omp task
  merge(at, quarter, at + quarter, quarter, free_space);
#pragma omp task
  merge(at + 2 * quarter, quarter, at + 3 * quarter, last, free_space + 2 * quarter);
#pragma omp taskwait
  merge(free_space, 2 * quarter, free_space + 2 * quarter, quarter + last, at);
}

static int by_value(const void* a, const void* b) {
  const int x = *(const int*)a;
  const int y = *(const int*)b;
  return (x > y) - (x < y);
}

static void set_up(enum input input) {
  n = sizes[input];
  const unsigned long bytes = (unsigned long)n * sizeof(int);
  original = bench_memory(bytes);
  data = bench_memory(bytes);
  scratch = bench_memory(bytes);
  expected = bench_memory(bytes);
  for (long i = 0; i < n; ++i) original[i] = (int)mixed((unsigned long)i);
  memcpy(expected, original, bytes);
  qsort(expected, (size_t)n, sizeof *expected, by_value);
}

static void prepare(void) { memcpy(data, original, (size_t)n * sizeof *data); }
static void run(void) { sort(data, scratch, n); }
static bool right(void) { return memcmp(data, expected, (size_t)n * sizeof *data) == 0; }

const struct task_program sort_programs[] = {{"sort", set_up, prepare, run, right}, {0}};
