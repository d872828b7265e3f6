// [program]
#include <stdio.h>

enum { regions = 3000, cells = 512 };
static double line[cells];  // 4096 bytes

int main(void) {
  for (int region = 0; region < regions; ++region) {
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < cells; ++i) line[i] += 0.5;
  }
  printf("%.0f in each of %d cells\n", line[0], cells);
}
// [end]
