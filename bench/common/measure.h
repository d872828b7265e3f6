// One benchmark's figures; see program.h for how they come about.
#pragma once

#include "common/program.h"

struct result {
  double us, cpu_us, least_us, most_us;
  double round_trip_ns;  // 0: not known
  double free_us;        // what was subtracted
  int samples;
  long reps;
};

enum { most_samples = 1000 };

// False when the answer is wrong.
bool measure(const struct bench_program* how, const struct benchmark* b, struct result* result);
