// [all]
#include <stdio.h>

int main(void) {
  long hits = 0;
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i)
    if (i % 3 == 0) ++hits;
  printf("%ld hits\n", hits);
}
// [end]
