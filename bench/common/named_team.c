// The team of a program without OpenMP. It is told by the same variable.
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/program.h"

struct team team = {1, 1};

bool look_at_team(const char* program) {
  cpu_set_t mask;
  team.cpus = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
  const char* asked = getenv("OMP_NUM_THREADS");
  team.threads = asked ? atoi(asked) : team.cpus;
  if (team.threads >= 1 && team.threads <= most_threads) return true;
  fprintf(stderr, "%s: OMP_NUM_THREADS: '%s' is no number of threads; allowed: 1 to %d\n", program, asked,
          most_threads);
  return false;
}
