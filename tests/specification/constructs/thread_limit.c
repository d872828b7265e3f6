// section: 10.1.1
// environment: OMP_THREAD_LIMIT=6
#include <omp.h>

#include "check.h"
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
  return finish();
}
