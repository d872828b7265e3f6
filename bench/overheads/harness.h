// How a construct of OpenMP is measured.
//
// A construct is run `reps` times in a row around a short piece of work (`delay`). What that takes longer than the work
// alone would, with as many CPUs as there are, is divided by `reps`: the construct's overhead. See surroundings.h for
// what the work takes alone.
#pragma once

#include "common/program.h"
#include "surroundings.h"

struct construct {
  const char* name;
  // Runs it `reps` times; false when the answer is wrong.
  bool (*run)(long reps);
  // What one repetition would take if the construct were free, in microseconds; 0: nothing is subtracted, and the
  // figure is a time and no overhead.
  double (*free_us)(void);
  // How many constructs one repetition holds; 0: one.
  double (*per_rep)(void);
  long least_reps;  // 0: one. Some share their repetitions out among the threads.
};

// Counters of the threads, each in its own cache lines.
struct slot {
  _Alignas(128) long count;
};
extern struct slot slots[most_threads];
void clear_slots(void);
long sum_of_slots(void);

extern const struct construct sync_constructs[];
extern const struct construct loop_constructs[];
extern const struct construct task_constructs[];
extern const struct construct whole_constructs[];
extern const struct construct user_thread_constructs[];
