// section: 10.4
// options clang: -fopenmp-version=51
#include <omp.h>
#include <stdint.h>

#include "check.h"
#pragma omp declare simd uniform(a) linear(i : 1) notinbranch
static int weigh(int const* a, int i) { return a[i] * 2 + 1; }
#pragma omp declare simd inbranch
static float half(float x) { return x / 2; }
int main(void) {
  enum { n = 1003 };
  static int a[n] __attribute__((aligned(64))), b[n];
  static float f[n];
  for (int i = 0; i < n; ++i) a[i] = i;
  int sum = 0, last = 0, at = 5;
#pragma omp simd aligned(a : 64) safelen(8) simdlen(4) reduction(+ : sum) lastprivate(last) linear(at : 3)
  for (int i = 0; i < n; ++i) {
    sum += a[i];
    b[i] = at;
    at += 3;
    last = i;
  }
  SAME(sum, n * (n - 1) / 2);
  SAME(last, n - 1);
  SAME(at, 5 + 3 * n);
  for (int i = 0; i < n; ++i) SAME(b[i], 5 + 3 * i);
#pragma omp parallel for simd schedule(simd : static, 7) nontemporal(b)
  for (int i = 0; i < n; ++i) b[i] = weigh(a, i);
  for (int i = 0; i < n; ++i) SAME(b[i], 2 * i + 1);
#pragma omp for simd if (simd : n < 10) order(concurrent)
  for (int i = 0; i < n; ++i) f[i] = i > 10 ? half((float)i) : 0;
  for (int i = 0; i < n; ++i) CHECK(f[i] == (i > 10 ? i / 2.0f : 0), "half of %d", i);
  int table[20][30];
#pragma omp simd collapse(2)
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 30; ++j) table[i][j] = i * j;
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 30; ++j) SAME(table[i][j], i * j);
  int order[n], at_order = 0;
#pragma omp simd
  for (int i = 0; i < n; ++i) {
#pragma omp ordered simd
    order[at_order++] = i;
  }
  for (int i = 0; i < n; ++i) SAME(order[i], i);
#pragma omp parallel for simd linear(at) reduction(max : sum)
  for (int i = 0; i < n; ++i) sum = sum > i ? sum : i, ++at;
  SAME(at, 5 + 4 * n);
  return finish();
}
