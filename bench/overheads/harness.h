// How a construct of OpenMP is measured.
//
// A construct is run `reps` times in a row around a short piece of work (`delay`). What that takes longer than the work
// alone would, with as many CPUs as there are, is divided by `reps`: the construct's overhead.
#pragma once

#include "common/program.h"

struct construct {
  const char* name;
  // Runs it `reps` times; false when the answer is wrong.
  bool (*run)(long reps);
  // What one repetition would take if the construct were free, in delays; negative: nothing is subtracted, and the
  // figure is a time and no overhead.
  double (*free_delays)(void);
  // How many constructs one repetition holds; 0: one.
  double (*per_rep)(void);
  long least_reps;  // 0: one. Some share their repetitions out among the threads.
};

// About 0.1 us that no compiler removes and no other thread disturbs.
void delay(void);

// Counters of the threads, each in its own cache lines.
struct slot {
  _Alignas(128) long count;
};
extern struct slot slots[most_threads];
void clear_slots(void);
long sum_of_slots(void);

// Work that every thread does at the same time takes as long as one's, or longer with more threads than CPUs.
double one_each(void);

extern const struct construct sync_constructs[];
extern const struct construct loop_constructs[];
extern const struct construct task_constructs[];
extern const struct construct whole_constructs[];
