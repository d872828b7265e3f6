// timeline.py looks for the monitor's rescues: two workers, four threads, of which two wait in the kernel at a time.
#define _GNU_SOURCE
#include <omp.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  struct timespec const pause = {0, 60000000};
  for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(4)
    syscall(SYS_nanosleep, &pause, NULL);
  }
  return 0;
}
