// Times of whole programs that are made of tasks: one JSON object per program and line on standard output.
//
//   OMP_NUM_THREADS=8 tasks_gcc --only fib,sort --input tiny
#include <stdio.h>
#include <string.h>

#include "common/program.h"
#include "tasks/programs.h"

static const struct task_program* const groups[] = {
    fib_programs,      nqueens_programs, sort_programs,   strassen_programs,
    sparselu_programs, uts_programs,     health_programs, floorplan_programs,
};
enum { group_count = sizeof groups / sizeof groups[0], most_programs = 64 };

static enum input input = usual;
static const struct task_program* ready;  // what is set up

static const struct task_program* program_of(const struct benchmark* self) { return self->what; }

static void prepare(const struct benchmark* self) {
  const struct task_program* p = program_of(self);
  if (ready != p) p->set_up(input);
  ready = p;
  if (p->prepare) p->prepare();
}

static bool run(const struct benchmark* self, long reps) {
  const struct task_program* p = program_of(self);
  for (long i = 0; i < reps; ++i) {
#pragma omp parallel
#pragma omp single
    p->run();
  }
  return true;
}

static bool check(const struct benchmark* self, long reps) {
  (void)reps;
  return program_of(self)->right();
}

static int make(struct benchmark** all) {
  static struct benchmark made[most_programs];
  int count = 0;
  for (int g = 0; g < group_count; ++g)
    for (const struct task_program* p = groups[g]; p->name && count < most_programs; ++p)
      made[count++] = (struct benchmark){
          .name = p->name, .what = p, .prepare = prepare, .run = run, .check = check, .once = true, .kind = "time"};
  *all = made;
  return count;
}

static bool option(const char* name, const char* value) {
  static const char* const inputs[input_count] = {"tiny", "usual", "large"};
  if (strcmp(name, "--input") != 0) return false;
  for (int i = 0; i < input_count; ++i)
    if (strcmp(value, inputs[i]) == 0) return input = (enum input)i, true;
  fprintf(stderr, "tasks: --input: '%s' is none; allowed: tiny, usual, large\n", value);
  return false;
}

int main(int argc, char** argv) {
  const struct bench_program tasks = {.name = "tasks",
                                      .item = "program",
                                      .usage = "[--input tiny|usual|large]",
                                      .samples = 3,
                                      .least_samples = 1,
                                      .sample_us = 1500,
                                      .budget_us = 3e6,
                                      .option = option,
                                      .round_trip_ns = omp_round_trip_ns,
                                      .make = make};
  return bench_main(&tasks, argc, argv);
}
