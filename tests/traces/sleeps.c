// 40 regions of more members than cores, each of which sleeps for 2 ms.
#include <omp.h>
#include <stdio.h>
#include <time.h>

int main(void) {
  int const members = 4 * omp_get_num_procs();
  struct timespec const pause = {0, 2000000};
  for (int region = 0; region < 40; ++region) {
#pragma omp parallel num_threads(members)
    nanosleep(&pause, 0);
  }
  puts("ok");
  return 0;
}
