// What programs are made of: regions in regions, and time steps of many short loops.
#include <omp.h>
#include <stdlib.h>

#include "harness.h"

// `outer` threads that each run `reps` regions of `inner`. The count is of what the teams really are, because a runtime
// may cut them; that the teams are those asked for is the conformance tests' business.
static bool nested(long reps, int outer, int inner) {
  long counted = 0;
  long expected = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(outer) reduction(+ : counted, expected)
  for (long i = 0; i < reps; ++i) {
    long members = 0;
    long size = 0;
#pragma omp parallel num_threads(inner) reduction(+ : members) shared(size)
    {
      delay();
      members += 1;
      if (omp_get_thread_num() == 0) size = omp_get_num_threads();
    }
    counted += members;
    expected += size;
  }
  omp_set_max_active_levels(1);
  return counted == expected && counted >= reps;
}

static bool nested_2x2(long reps) { return nested(reps, 2, 2); }
static bool nested_4x4(long reps) { return nested(reps, 4, 4); }
static bool nested_16x16(long reps) { return nested(reps, 16, 16); }
static double two(void) { return 2; }
static double four(void) { return 4; }
static double sixteen(void) { return 16; }

// A time step in the manner of LULESH: 30 loops over fields of 27000 elements, each a few operations an element, one
// behind the other. Every element is written by a formula of its own neighbours, so the serial answer is the same to
// the last bit.
enum { elements = 27000, loops_per_step = 30 };
static double* fields[3];

static void update(double* to, const double* from, const double* other, long i, int phase) {
  const double left = from[i == 0 ? elements - 1 : i - 1];
  const double right = from[i == elements - 1 ? 0 : i + 1];
  to[i] = 0.25 * (left + right) + 0.5 * from[i] + 1e-3 * (other[i] - from[i]) + 1e-6 * phase;
}

static void step_in_parallel(void) {
  for (int phase = 0; phase < loops_per_step; ++phase) {
    double* to = fields[(phase + 2) % 3];
    const double* from = fields[(phase + 1) % 3];
    const double* other = fields[phase % 3];
#pragma omp parallel for schedule(static)
    for (long i = 0; i < elements; ++i) update(to, from, other, i, phase);
  }
}

static void step_in_serial(void) {
  for (int phase = 0; phase < loops_per_step; ++phase) {
    double* to = fields[(phase + 2) % 3];
    const double* from = fields[(phase + 1) % 3];
    const double* other = fields[phase % 3];
    for (long i = 0; i < elements; ++i) update(to, from, other, i, phase);
  }
}

// The fields stand in one block, each at another offset within a page: with equal offsets a load of one field would
// wait for a store to another, and with several blocks it would be a matter of luck which process is twice as slow as
// others.
static void place_fields(void) {
  enum { page = 4096, huge_page = 2 << 20, apart = (elements * sizeof(double) / page + 1) * page + page / 3 / 64 * 64 };
  if (fields[0] != 0) return;
  double* block = aligned_alloc(huge_page, huge_page);
  if (block == 0) abort();
  for (int f = 0; f < 3; ++f) fields[f] = block + f * (apart / sizeof(double));
}

static void set_fields(void) {
  place_fields();
  for (int f = 0; f < 3; ++f) {
    for (long i = 0; i < elements; ++i) fields[f][i] = (double)((i * 7 + f * 13) % 101);
  }
}

static double sum_of_fields(void) {
  double sum = 0;
  for (int f = 0; f < 3; ++f)
    for (long i = 0; i < elements; ++i) sum += fields[f][i] * (double)(i % 17 + 1);
  return sum;
}

// The serial answer is computed for the first few steps only, outside of what is timed.
enum { checked_steps = 2 };
static double serial_sum(void) {
  set_fields();
  for (int s = 0; s < checked_steps; ++s) step_in_serial();
  return sum_of_fields();
}

static bool phases(long reps) {
  static bool checked = false;
  if (!checked) {  // in the first, warming run: a sample holds nothing but steps
    const double expected = serial_sum();
    set_fields();
    for (int s = 0; s < checked_steps; ++s) step_in_parallel();
    if (sum_of_fields() != expected) return false;
    checked = true;
  }
  for (long i = 0; i < reps; ++i) step_in_parallel();
  return true;
}

const struct construct whole_constructs[] = {
    {"nested_2x2", nested_2x2, 0, two, 0},
    {"nested_4x4", nested_4x4, 0, four, 0},
    {"nested_16x16", nested_16x16, 0, sixteen, 0},
    {"phases", phases, 0, 0, 0},
    {0},
};
