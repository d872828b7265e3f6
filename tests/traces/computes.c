// 300 regions of 8 members, each of which computes for about 1.3 ms, and a barrier.
#include <omp.h>
#include <stdio.h>

static void compute(double seconds) {
  for (double const end = omp_get_wtime() + seconds; omp_get_wtime() < end;) {
  }
}

int main(void) {
  int const members = omp_get_max_threads() < 8 ? 8 : omp_get_max_threads();
  for (int region = 0; region < 300; ++region) {
#pragma omp parallel num_threads(members)
    compute(0.0013);
  }
  puts("ok");
  return 0;
}
