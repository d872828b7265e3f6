/* 1000 barriers in a region, and 100 regions more. */
#include <omp.h>
#include <stdio.h>

int main(void) {
  int wrong = 0, in_region = 0;
#pragma omp parallel
  for (int i = 0; i < 1000; i++) {
#pragma omp barrier
  }
  for (int i = 0; i < 100; i++) {
#pragma omp parallel
#pragma omp atomic
    in_region++;
  }
  wrong = in_region != 100 * omp_get_max_threads();
  puts(wrong ? "failed" : "ok");
  return wrong;
}
