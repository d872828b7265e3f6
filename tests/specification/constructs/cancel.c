// section: 16
// environment: OMP_CANCELLATION=true
#include <omp.h>

#include "check.h"
int main(void) {
  SAME(omp_get_cancellation(), 1);
  for (int round = 0; round < 30; ++round) {
    int found = -1, passed = 0, ran = 0, threads = 0;
#pragma omp parallel shared(found, passed)
    {
#pragma omp single
      threads = omp_get_num_threads();
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 1000; ++i) {
        if (i == 37 + round) {
#pragma omp atomic write
          found = i;
#pragma omp cancel for
        }
#pragma omp cancellation point for
#pragma omp atomic
        ++ran;
      }
#pragma omp atomic
      ++passed;
    }
    SAME(found, 37 + round);
    SAME(passed, threads);
    CHECK(ran < 1000, "%d iterations ran", ran);
    int after = 0, beyond = 0;
#pragma omp parallel shared(after, beyond)
    {
#pragma omp barrier
      if (omp_get_thread_num() == round % omp_get_num_threads()) {
#pragma omp cancel parallel
#pragma omp atomic
        ++beyond;
      }
#pragma omp barrier
#pragma omp cancellation point parallel
#pragma omp atomic
      ++after;
    }
    SAME(after, 0);
    SAME(beyond, 0);
    int started = 0, finished = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
      {
        for (int i = 0; i < 200; ++i) {
#pragma omp task shared(started, finished)
          {
#pragma omp atomic
            ++started;
            if (i == 20) {
#pragma omp cancel taskgroup
            }
#pragma omp cancellation point taskgroup
#pragma omp atomic
            ++finished;
          }
        }
      }
    }
    CHECK(finished < started && started <= 200, "%d of %d tasks finished", finished, started);
    int sections = 0;
#pragma omp parallel sections shared(sections)
    {
#pragma omp section
      {
#pragma omp cancel sections
#pragma omp atomic
        sections += 100;
      }
#pragma omp section
      {
#pragma omp cancellation point sections
#pragma omp atomic
        ++sections;
      }
    }
    CHECK(sections <= 1, "a cancelled section went on: %d", sections);
    int conditional = 0;
#pragma omp parallel shared(conditional)
    {
#pragma omp cancel parallel if (0)
#pragma omp atomic
      ++conditional;
    }
    SAME(conditional, threads);
  }
  return finish();
}
