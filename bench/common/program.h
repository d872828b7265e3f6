// What every benchmark program of this folder is built on: the command line, the choice of what to run, how a figure
// comes about, and one line of JSON for each. `amity bench` starts the programs and reads the lines.
//
//   static int make(struct benchmark** all) { *all = my_benchmarks; return my_count; }
//   int main(int argc, char** argv) {
//     return bench_main(&(struct bench_program){.name = "mine", .item = "kernel", ..., .make = make}, argc, argv);
//   }
//
// Something is run `reps` times in a row. `reps` grows until one sample lasts about a millisecond, so that neither the
// clock's resolution nor the start of the team counts. The median of the samples is reported: on a shared machine the
// mean says more about the others than about what is measured.
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// The threads that do the work.
struct team {
  int threads;  // of a parallel region, as it turned out; without OpenMP: as many as were asked for
  int cpus;     // of the affinity mask
};
extern struct team team;  // 1 and 1 until it is looked at

// Finds out; false, with a word, when that can't be measured. openmp_team.c has it for programs of OpenMP, named_team.c
// for the others, which have to tell their runtime.
bool look_at_team(const char* program);

enum { most_threads = 1024 };

struct benchmark {
  const char* name;
  const void* what;  // for the functions below, if they need it
  // Before a sample, after it: neither is in the time. `check` is false where the answer is wrong. 0: nothing.
  void (*prepare)(const struct benchmark* self);
  bool (*check)(const struct benchmark* self, long reps);
  // What is timed, `reps` times; false when the answer is wrong.
  bool (*run)(const struct benchmark* self, long reps);
  // What one repetition would take if that which is measured cost nothing: it is subtracted. Called before and
  // after every sample. 0: nothing.
  double (*free_us)(const struct benchmark* self);
  double per_rep;   // figures that one repetition gives; 0: one
  long least_reps;  // 0: one
  bool once;        // a sample is a single repetition, however short
  // Of one repetition; 0: not counted.
  double flops;  // floating-point operations
  double bytes;  // of memory that it goes through
  double tasks;  // for whom the grain is of interest
  // A figure that is no time: of one repetition, which this runs itself. 0: it is a time, of `run`.
  double (*value)(const struct benchmark* self);
  const char* unit;      // with `value`: "messages"
  const char* kind;      // "time", "overhead", ...: said in the line
  const char* left_out;  // why this program does not run it; 0: it does
};

struct bench_program {
  const char* name;
  const char* item;   // what a benchmark is called in messages: "construct"
  const char* usage;  // of the further options; 0: none
  int samples;        // unless --samples says otherwise
  int least_samples;  // however long they take
  double sample_us;   // aimed at
  double budget_us;   // of one benchmark: slow ones get fewer samples
  // A further option with its value; false: unknown, or a bad value, which it has told. 0: there are none.
  bool (*option)(const char* name, const char* value);
  // How far apart the cores of two threads are at this moment, as a cache line's way there and back; asked beside every
  // sample and told in the line. 0: it is not asked.
  double (*round_trip_ns)(void);
  // All benchmarks, once the options are known; their number. The team is known too, except to name them.
  int (*make)(struct benchmark** all);
};

// Exit status: 0; 1 when something gave a wrong answer; 2 for wrong usage.
int bench_main(const struct bench_program* program, int argc, char** argv);

double now_us(void);

// For programs of OpenMP: a cache line's way from the first thread of a team to the second and back, in nanoseconds. A
// virtual machine's host moves its cores about; the way is 30 ns between the hardware threads of a core, and 300
// between distant cores. 0 where it says nothing: one thread, more threads than CPUs, a core that others keep busy.
double omp_round_trip_ns(void);

// An array in whole pages of its own, never given back; ends the program where there is no memory.
void* bench_memory(unsigned long bytes);

#ifdef __cplusplus
}
#endif
