// Nested functions whose address is taken: gcc puts code for them on the stack, which must be executable in every
// thread.
#include <omp.h>
#include <stdio.h>

__attribute__((noipa)) static long apply(long (*function)(long), long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += function(i);
  return sum;
}

static long multiplied(int t) {
  long times(long x) { return x * t; }
  return apply(times, 10);
}

static long shifted(long by) {
  long shift(long x) { return x + by; }
  return apply(shift, 10);
}

int main(void) {
  int wrong = 0;
  for (int round = 0; round < 20; ++round) {
#pragma omp parallel reduction(+ : wrong)
    {
      long const mine = omp_get_thread_num() + round;
      wrong += shifted(mine) != 45 + 10 * mine;
#pragma omp single
      for (int t = 0; t < 20; ++t) {
#pragma omp task firstprivate(t) shared(wrong)
        if (multiplied(t) != 45 * t) {
#pragma omp atomic
          ++wrong;
        }
      }
    }
  }
  if (wrong) {
    printf("%d wrong\n", wrong);
    return 1;
  }
  printf("ok\n");
  return 0;
}
