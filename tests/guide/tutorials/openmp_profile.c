// [all]
#include <stdio.h>

int main(void) {
  double sum = 0, alone = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 20000; ++i)
    for (int k = 1; k < i; ++k)
      sum += 1.0 / k;  // row i is i long
  for (int k = 1; k < 40000000; ++k) alone += 1.0 / k;
  printf("%.3f %.3f\n", sum, alone);
  return 0;
}
// [end]
