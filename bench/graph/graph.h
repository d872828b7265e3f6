// The graph of tasks of this folder, and what a task does. Every program runs the same: this is compiled once, for all.
//
//   struct graph* g = graph_of(&(struct shape){stencil_1d, 8, 100}, &(struct kernel){kernel_compute, 64});
//   graph_begin(g);
//   for (long t = 0; t < g->tasks; ++t) graph_task(g, t);     // in any order that the dependences allow
//   graph_end(g);                                              // whether it was such an order
//
// A graph has `steps` rows of tasks; a task may depend on tasks of the row before. Task Bench (Slaughter, Wu, Fu,
// Brandt, et al., "Task Bench: A Parameterized Benchmark for Evaluating Parallel Runtime Performance", SC 2020) has
// the idea and the patterns; README.md defines them.
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pattern { trivial, stencil_1d, stencil_1d_periodic, tree, fft, all_to_all, random_nearest, spread, pattern_count };
extern const char* const pattern_names[pattern_count];

enum kernel_kind { kernel_empty, kernel_compute, kernel_memory };

struct shape {
  enum pattern pattern;
  int width;
  int steps;
};

struct kernel {
  enum kernel_kind kind;
  long iterations;
};

enum { flops_of_iteration = 64, bytes_of_iteration = 4096, bytes_of_point = 64 << 10 };

struct output;  // what a task leaves for those who depend on it

struct graph {
  struct shape shape;
  struct kernel kernel;
  int tasks;
  const int* row;  // of each step, its first task; steps + 1
  // Task t depends on inputs[input_begin[t]] ... inputs[input_begin[t + 1] - 1], and these depend on it:
  // outputs[output_begin[t]] ...
  const int* input_begin;
  const int* inputs;
  const int* output_begin;
  const int* outputs;
  struct output* results;
  double* memory;  // of each point, bytes_of_point
  long run;
  long wrong;
};

// Ends the program where there is no memory.
struct graph* graph_of(const struct shape* shape, const struct kernel* kernel);
void graph_free(struct graph* g);

void graph_begin(struct graph* g);
// Runs a task: looks at its inputs, computes, and leaves its result. By any thread.
void graph_task(struct graph* g, int task);
// Whether each task has run after those that it depends on.
bool graph_end(struct graph* g);

// The place of a task's result, by which OpenMP's depend clauses name it.
char* graph_result(const struct graph* g, int task);

#ifdef __cplusplus
}
#endif
