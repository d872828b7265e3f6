// Whole programs made of tasks. The problems are those of the task benchmarks BOTS (Barcelona OpenMP Tasks Suite), UTS
// (Unbalanced Tree Search) and KASTORS (sparse LU with dependences); the programs are written anew.
#pragma once

#include <stdbool.h>

enum input { tiny, usual, large, input_count };

struct task_program {
  const char* name;
  // Once, before the first run: makes the problem, and solves it serially to know the answer.
  void (*set_up)(enum input input);
  void (*prepare)(void);  // before each run; 0: nothing
  // Called by one thread of a team; the tasks that it makes are finished at the end of the region.
  void (*run)(void);
  bool (*right)(void);
};

// Each ends in a nameless one.
extern const struct task_program fib_programs[];
extern const struct task_program nqueens_programs[];
extern const struct task_program sort_programs[];
extern const struct task_program strassen_programs[];
extern const struct task_program sparselu_programs[];
extern const struct task_program uts_programs[];
extern const struct task_program health_programs[];
extern const struct task_program floorplan_programs[];

// A well mixed value of `x`, for random numbers that are the same everywhere.
static inline unsigned long mixed(unsigned long x) {
  x += 0x9e3779b97f4a7c15UL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9UL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebUL;
  return x ^ (x >> 31);
}

// From 0 up to but not including 1.
static inline double fraction(unsigned long mixed_value) { return (double)(mixed_value >> 11) * 0x1p-53; }
