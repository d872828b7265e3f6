#define _GNU_SOURCE
#include "common/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
double now_us(void) { return seconds_of(CLOCK_MONOTONIC) * 1e6; }
static double cpu_us(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID) * 1e6; }

void* bench_memory(unsigned long bytes) {
  enum { huge_page = 2 << 20 };
  void* memory = aligned_alloc(huge_page, (bytes + huge_page - 1) / huge_page * huge_page);
  if (memory == 0) {
    fprintf(stderr, "bench: no memory for an array of %lu bytes\n", bytes);
    exit(1);
  }
  return memory;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int n) {
  qsort(values, (size_t)n, sizeof *values, by_value);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// Of those above 0; 0 where most are not.
static double median_of_known(double* values, int n) {
  int known = 0;
  for (int i = 0; i < n; ++i)
    if (values[i] > 0) values[known++] = values[i];
  return 2 * known > n ? median(values, known) : 0;
}

struct sample {
  double us, cpu_us;
};

static bool take_sample(const struct benchmark* b, long reps, struct sample* taken) {
  if (b->prepare) b->prepare(b);
  const double cpu_begin = cpu_us();
  const double begin = now_us();
  const bool right = b->run(b, reps);
  taken->us = now_us() - begin;
  taken->cpu_us = cpu_us() - cpu_begin;
  return right && (!b->check || b->check(b, reps));
}

// The shortest of a few runs, as soon as one is shorter than a sample: one that met a preempted thread says nothing of
// how many repetitions a sample takes.
static bool least_time(const struct bench_program* how, const struct benchmark* b, long reps, double* least) {
  *least = 1e12;
  for (int attempt = 0; attempt < 4 && *least >= how->sample_us; ++attempt) {
    struct sample taken;
    if (!take_sample(b, reps, &taken)) return false;
    if (taken.us < *least) *least = taken.us;
    if (taken.us > how->budget_us / 16) break;
  }
  return true;
}

// How many repetitions a sample needs; 0 when an answer is wrong.
static long choose_reps(const struct bench_program* how, const struct benchmark* b, double start) {
  long reps = b->least_reps > 0 ? b->least_reps : 1;
  struct sample first;
  if (!take_sample(b, reps, &first)) return 0;  // makes the team, fills its pools
  while (!b->once) {
    double took;
    if (!least_time(how, b, reps, &took)) return 0;
    if (took >= how->sample_us || now_us() - start > how->budget_us / 4) break;
    reps *= took < how->sample_us / 10 ? 4 : 2;
  }
  return reps;
}

bool measure(const struct bench_program* how, const struct benchmark* b, struct result* result) {
  static double walls[most_samples];
  static double cpus[most_samples];
  static double trips[most_samples];
  static double free_parts[most_samples];
  const double start = now_us();
  const long reps = choose_reps(how, b, start);
  if (reps == 0) return false;
  const double figures = (double)reps * (b->per_rep > 0 ? b->per_rep : 1);
  int n = 0;
  while (n < how->samples && (n < how->least_samples || now_us() - start < how->budget_us)) {
    struct sample taken;
    // The machine's speed changes from one millisecond to the next: what is subtracted is measured beside each sample.
    trips[n] = how->round_trip_ns ? how->round_trip_ns() : 0;
    const double before = b->free_us ? b->free_us(b) : 0;
    if (!take_sample(b, reps, &taken)) return false;
    const double after = b->free_us ? b->free_us(b) : 0;
    free_parts[n] = (before + after) / 2 * (double)reps / figures;
    walls[n] = taken.us / figures - free_parts[n];
    cpus[n] = taken.cpu_us / figures;
    ++n;
  }
  result->samples = n;
  result->reps = reps;
  result->us = median(walls, n);
  result->cpu_us = median(cpus, n);
  result->free_us = median(free_parts, n);
  result->round_trip_ns = median_of_known(trips, n);
  result->least_us = walls[0];  // sorted by now
  result->most_us = walls[n - 1];
  return true;
}
