#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>

#include "common/program.h"

struct team team = {1, 1};

bool look_at_team(const char* program) {
  cpu_set_t mask;
  team.cpus = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : omp_get_num_procs();
  omp_set_dynamic(0);
#pragma omp parallel
#pragma omp single
  team.threads = omp_get_num_threads();
  if (team.threads > most_threads) {
    fprintf(stderr, "%s: a team of %d threads; at most %d can be measured\n", program, team.threads, most_threads);
    return false;
  }
  if (team.threads != omp_get_max_threads())
    fprintf(stderr, "%s: the runtime gives %d threads where %d were asked for\n", program, team.threads,
            omp_get_max_threads());
  return true;
}
