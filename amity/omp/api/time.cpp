// omp_*: the clock.
#include <time.h>

extern "C" {

double omp_get_wtime() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
double omp_get_wtime_() { return omp_get_wtime(); }

double omp_get_wtick() {
  timespec tick;
  clock_getres(CLOCK_MONOTONIC, &tick);
  return static_cast<double>(tick.tv_sec) + 1e-9 * static_cast<double>(tick.tv_nsec);
}
double omp_get_wtick_() { return omp_get_wtick(); }

}  // extern "C"
