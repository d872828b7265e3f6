// section: 18.15
// options clang: -fopenmp-version=51
// environment: OMP_SCHEDULE=guided,7 OMP_DYNAMIC=false OMP_MAX_ACTIVE_LEVELS=3 OMP_STACKSIZE=3M OMP_WAIT_POLICY=passive
// environment: OMP_THREAD_LIMIT=40 OMP_NUM_TEAMS=4 OMP_TEAMS_THREAD_LIMIT=5 OMP_PLACES=threads
//
// What the environment says is what the routines tell and what omp_display_env prints.
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
static char text[1 << 16];
static int says(char const* name, char const* value) {
  char const* at = strstr(text, name);
  char line[200] = "";
  if (at) sscanf(at, "%199[^\n]", line);
  return strstr(line, value) != 0;
}
static long deep(int n) {
  char volatile block[1000];
  block[n % 1000] = 1;
  return n ? deep(n - 1) + block[n % 1000] : 0;
}
int main(void) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  SAME(kind & 0x7fffffff, omp_sched_guided);
  SAME(chunk, 7);
  SAME(omp_get_dynamic(), 0);
  SAME(omp_get_max_active_levels(), 3);
  SAME(omp_get_thread_limit(), 40);
  SAME(omp_get_max_teams(), 4);
  SAME(omp_get_teams_thread_limit(), 5);
  CHECK(omp_get_num_places() >= 1, "no places");
  int const kept = dup(2);
  CHECK(freopen("printed", "w+", stderr) != 0, "no file");
  omp_display_env(1);
  fflush(stderr);
  fseek(stderr, 0, SEEK_SET);
  size_t const length = fread(text, 1, sizeof text - 1, stderr);
  dup2(kept, 2);
  CHECK(length > 100, "%zu bytes printed", length);
  CHECK(strstr(text, "OPENMP DISPLAY ENVIRONMENT BEGIN") && strstr(text, "OPENMP DISPLAY ENVIRONMENT END"),
        "not between its two lines");
  CHECK(strstr(text, "_OPENMP"), "no version");
  CHECK(says("OMP_SCHEDULE", "7") && (says("OMP_SCHEDULE", "GUIDED") || says("OMP_SCHEDULE", "guided")),
        "OMP_SCHEDULE");
  CHECK(says("OMP_DYNAMIC", "FALSE") || says("OMP_DYNAMIC", "false"), "OMP_DYNAMIC");
  CHECK(says("OMP_THREAD_LIMIT", "40"), "OMP_THREAD_LIMIT");
  CHECK(says("OMP_MAX_ACTIVE_LEVELS", "3"), "OMP_MAX_ACTIVE_LEVELS");
  CHECK(says("OMP_NUM_TEAMS", "4"), "OMP_NUM_TEAMS");
  CHECK(says("OMP_TEAMS_THREAD_LIMIT", "5"), "OMP_TEAMS_THREAD_LIMIT");
  // OMP_STACKSIZE: two megabytes of it used in every thread.
  int right = 0, threads = 0;
#pragma omp parallel reduction(+ : right, threads)
  {
    right += deep(1700) == 1700;
    ++threads;
  }
  SAME(right, threads);
  return finish();
}
