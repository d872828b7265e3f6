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

/* clang tells the runtime the size of one element of such a section. */
static void reduce_sections_by_tasks(void) {
  double few_of[3] = {0, 0, 0}, line_of[8] = {0}, shared_by_loop[3] = {0, 0, 0};
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : few_of[:3], line_of[:8])
    for (int i = 0; i < 50; ++i) {
#pragma omp task in_reduction(+ : few_of[:3])
      few_of[i % 3] += i;
#pragma omp task in_reduction(+ : line_of[:8])
      line_of[i % 8] += i;
    }
#pragma omp taskloop reduction(+ : shared_by_loop[:3])
    for (int i = 0; i < 50; ++i) shared_by_loop[i % 3] += i;
  }
  double three[3] = {0, 0, 0}, eight[8] = {0};
  for (int i = 0; i < 50; ++i) three[i % 3] += i, eight[i % 8] += i;
  for (int i = 0; i < 3; ++i) check("three by tasks", few_of[i], three[i]);
  for (int i = 0; i < 8; ++i) check("eight by tasks", line_of[i], eight[i]);
  for (int i = 0; i < 3; ++i) check("three by a taskloop", shared_by_loop[i], three[i]);
}

int main(void) {
  long threads = 0;
#pragma omp parallel reduction(+ : threads)
  ++threads;
  for (int r = 1; r <= rounds; ++r) {
    reduce_once();
    reduce_sections_by_tasks();
    check("a variable", scalar, (double)r * (threads + 10));
    for (int i = 0; i < few; ++i) check("a short array", short_one[i], r * 14.0);
    for (int i = 0; i < many; ++i) check("a long array", long_one[i], (double)r * threads * (i + 1));
  }
  if (wrong == 0) printf("ok\n");
  return wrong != 0;
}
