// section: 9
// options clang: -fopenmp-version=52
// refused gcc: loop transformations came with gcc 15
// since clang: 22 19 does not know all of them
#include <omp.h>

#include "check.h"
int main(void) {
  static int hits[40][40];
  int order = 0, sum = 0;
#pragma omp parallel for collapse(2)
#pragma omp tile sizes(5, 7)
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 40; ++j) hits[i][j]++;
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 40; ++j) SAME(hits[i][j], 1);
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
#pragma omp unroll partial(4)
  for (int i = 0; i < 101; ++i) sum += i;
  SAME(sum, 5050);
#pragma omp unroll full
  for (int i = 0; i < 4; ++i) order = order * 10 + i;
  SAME(order, 123);
#pragma omp metadirective when(user = {condition(1)} : parallel for reduction(+ : sum)) default(nothing)
  for (int i = 0; i < 101; ++i) sum += i;
  SAME(sum, 10100);
#pragma omp assume no_openmp
  sum += 1;
  SAME(sum, 10101);
  return finish();
}
