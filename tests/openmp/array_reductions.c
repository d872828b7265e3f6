// Reductions of single variables, of short and of long arrays: the runtime may combine each in another way, and may
// change its mind while the program runs.
#include <omp.h>
#include <stdio.h>

enum { few = 3, many = 5000, rounds = 40 };
static long short_one[few], long_one[many];
static double scalar;
static int wrong;

static void check(const char* what, double is, double should) {
  if (is != should && wrong++ < 10) printf("%s: %g, not %g\n", what, is, should);
}

static void reduce_once(void) {
#pragma omp parallel reduction(+ : scalar, long_one)
  {
    scalar += 1;
    for (int i = 0; i < many; ++i) long_one[i] += i + 1;
#pragma omp for reduction(+ : short_one)
    for (int i = 0; i < 7 * few; ++i) short_one[i % few] += 2;
  }
#pragma omp parallel for reduction(+ : scalar)
  for (int i = 0; i < 10; ++i) scalar += 1;
}

int main(void) {
  long threads = 0;
#pragma omp parallel reduction(+ : threads)
  ++threads;
  for (int r = 1; r <= rounds; ++r) {
    reduce_once();
    check("a variable", scalar, (double)r * (threads + 10));
    for (int i = 0; i < few; ++i) check("a short array", short_one[i], r * 14.0);
    for (int i = 0; i < many; ++i) check("a long array", long_one[i], (double)r * threads * (i + 1));
  }
  if (wrong == 0) printf("ok\n");
  return wrong != 0;
}
