// Measures what OpenMP's constructs cost, in microseconds: one JSON object per construct and line on standard output.
//
//   OMP_NUM_THREADS=8 overheads_gcc --only parallel,barrier --samples 15
#include "harness.h"

static const struct construct* const groups[] = {sync_constructs, loop_constructs, task_constructs, whole_constructs,
                                                 user_thread_constructs};
enum { group_count = sizeof groups / sizeof groups[0], most_constructs = 64 };

static const struct construct* construct_of(const struct benchmark* b) { return b->what; }
static bool run(const struct benchmark* b, long reps) { return construct_of(b)->run(reps); }
static double free_us(const struct benchmark* b) { return construct_of(b)->free_us(); }

static int make(struct benchmark** all) {
  static struct benchmark made[most_constructs];
  int count = 0;
  for (int g = 0; g < group_count; ++g)
    for (const struct construct* c = groups[g]; c->name && count < most_constructs; ++c)
      made[count++] = (struct benchmark){.name = c->name,
                                         .what = c,
                                         .run = run,
                                         .free_us = c->free_us ? free_us : 0,
                                         .per_rep = c->per_rep ? c->per_rep() : 1,
                                         .least_reps = c->least_reps,
                                         .kind = c->free_us ? "overhead" : "time"};
  *all = made;
  return count;
}

int main(int argc, char** argv) {
  const struct bench_program overheads = {.name = "overheads",
                                          .item = "construct",
                                          .samples = 15,
                                          .least_samples = 3,
                                          .sample_us = 1500,
                                          .budget_us = 1500e3,
                                          .round_trip_ns = omp_round_trip_ns,
                                          .make = make};
  return bench_main(&overheads, argc, argv);
}
