// section: 10.1.1
// environment: OMP_THREAD_LIMIT=6
#include <omp.h>

#include "check.h"

#pragma omp declare target
static void look(int* threads, int* limits) {
  int const me = omp_get_team_num();
#pragma omp parallel num_threads(9)
  if (omp_get_thread_num() == 0) {
    threads[me] = omp_get_num_threads();
    limits[me] = omp_get_thread_limit();
  }
}
#pragma omp end declare target

int main(void) {
  SAME(omp_get_thread_limit(), 6);
  omp_set_dynamic(0);
  omp_set_max_active_levels(3);
  for (int outer = 1; outer < 12; ++outer)
    for (int inner = 1; inner < 12; ++inner) {
      int now = 0, peak = 0, first = 0;
#pragma omp parallel num_threads(outer)
      {
#pragma omp single
        first = omp_get_num_threads();
#pragma omp parallel num_threads(inner)
        {
          int mine;
#pragma omp atomic capture
          mine = ++now;
#pragma omp critical
          if (mine > peak) peak = mine;
#pragma omp barrier
#pragma omp atomic
          --now;
        }
      }
      SAME(first, outer < 6 ? outer : 6);
      CHECK(peak <= 6, "%d in %d: %d threads at once of 6", inner, outer, peak);
      SAME(now, 0);
    }
  int got = 0;
#pragma omp teams num_teams(1) thread_limit(3)
#pragma omp parallel num_threads(5)
#pragma omp single
  got = omp_get_num_threads();
  SAME(got, 3);
  // The limit is that of a contention group, and each team is one: it is not divided among them.
  int threads[2] = {0}, limits[2] = {0};
#pragma omp teams num_teams(2)
  look(threads, limits);
  SAME(threads[0], 6);
  SAME(limits[0], 6);
  // A league in a target region has that one's limit.
#pragma omp target map(tofrom : threads, limits) thread_limit(4)
#pragma omp teams num_teams(2)
  look(threads, limits);
  for (int i = 0; i < 2; ++i) {
    SAME(threads[i], 4);
    SAME(limits[i], 4);
  }
  return finish();
}
