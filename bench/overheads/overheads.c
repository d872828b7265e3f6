// Measures what OpenMP's constructs cost, in microseconds: one JSON object per construct and line on standard output.
//
//   OMP_NUM_THREADS=8 overheads_gcc --only parallel,barrier --samples 15
#include "harness.h"

static const struct construct* const groups[] = {sync_constructs, loop_constructs, task_constructs, whole_constructs};
enum { group_count = sizeof groups / sizeof groups[0], most_constructs = 64 };

// One delay, at best: a preemption has no place in the reference. Some 20 us in all: the other threads of the team
// shall find it a short wait.
static double delay_us(void) {
  double best = 1e9;
  for (int i = 0; i < 4; ++i) {
    const double begin = now_us();
    for (int k = 0; k < 50; ++k) delay();
    const double took = (now_us() - begin) / 50;
    if (took < best) best = took;
  }
  return best;
}

static const struct construct* construct_of(const struct benchmark* b) { return b->what; }
static bool run(const struct benchmark* b, long reps) { return construct_of(b)->run(reps); }
static double free_us(const struct benchmark* b) {
  const double delays = construct_of(b)->free_delays();
  return delays > 0 ? delays * delay_us() : 0;
}

static int make(struct benchmark** all) {
  static struct benchmark made[most_constructs];
  int count = 0;
  for (int g = 0; g < group_count; ++g)
    for (const struct construct* c = groups[g]; c->name && count < most_constructs; ++c)
      made[count++] = (struct benchmark){.name = c->name,
                                         .what = c,
                                         .run = run,
                                         .free_us = free_us,
                                         .per_rep = c->per_rep ? c->per_rep() : 1,
                                         .least_reps = c->least_reps,
                                         .kind = c->free_delays() < 0 ? "time" : "overhead"};
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
                                          .make = make};
  return bench_main(&overheads, argc, argv);
}
