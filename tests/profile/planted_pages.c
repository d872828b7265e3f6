// nodes.py looks for waits for pages: in each round each node needs what the other one has written.
#include <stdio.h>

enum { n = 400000, rounds = 3 };
static double x[n];

int main(void) {
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) x[i] += i;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += x[n - 1 - i];
  }
  return sum == 6.0 * n * (n - 1) / 2 ? 0 : (printf("%g\n", sum), 1);
}
