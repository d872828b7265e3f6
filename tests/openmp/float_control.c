// Rounding and the like belong to a thread. One that joins a team for the first time has its leader's, whatever the
// OS thread under it did before; clang's runtime gives the leader's to all members with every region.
#include <fenv.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

#include "expect.h"

#ifdef __clang__
enum { kept_between_regions = 0 };
#else
enum { kept_between_regions = 1 };
#endif

// In a region of `threads`, those from `from` on round as `mode` says.
static void all_round(int threads, int from, int mode, const char* what) {
#pragma omp parallel num_threads(threads)
  {
    expect(omp_get_thread_num() < from || fegetround() == mode, what);
#pragma omp barrier
    expect(omp_get_thread_num() < from || fegetround() == mode, "a barrier changes how a thread rounds");
  }
}

static void change_in_team(void) {
#pragma omp parallel num_threads(6)
  {
    int const own = omp_get_thread_num() % 2 == 0 ? FE_UPWARD : FE_DOWNWARD;
    fesetround(own);
    for (int i = 0; i < 100; ++i) {
#pragma omp barrier
      expect(fegetround() == own, "a thread rounds as another one does");
    }
  }
}

static void* lead(void* mode) {
  fesetround(*(int*)mode);
  all_round(6, 0, *(int*)mode, "a member of a new team does not round as its leader");
  return NULL;
}

int main(void) {
  fesetround(FE_UPWARD);
  all_round(3, 0, FE_UPWARD, "a member of the first team does not round as its leader");
  fesetround(FE_DOWNWARD);
  all_round(5, 3, FE_DOWNWARD, "a new member of a team does not round as its leader");
  change_in_team();
  fesetround(FE_TONEAREST);
  all_round(6, kept_between_regions ? 6 : 0, FE_TONEAREST, "a member does not round as its leader");
  // The OS threads of a leader that has gone serve the next one.
  int modes[] = {FE_TOWARDZERO, FE_UPWARD, FE_TONEAREST};
  for (int i = 0; i < 3; ++i) {
    pthread_t leader;
    if (pthread_create(&leader, NULL, lead, &modes[i]) == 0) pthread_join(leader, NULL);
  }
  if (wrong) return 1;
  puts("ok");
  return 0;
}
