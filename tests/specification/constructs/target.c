// section: 13
// options clang: -fopenmp-version=51
//
// On the host: there is no device, so a target region runs here, with the data environment that its clauses say.
#include <omp.h>

#include "check.h"
#pragma omp declare target
static int global = 5;
static int twice(int x) { return 2 * x; }
#pragma omp end declare target
int main(void) {
  enum { n = 200 };
  int a[n], b[n], scalar = 7, sum = 0;
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 0;
#pragma omp target map(to : a) map(from : b) firstprivate(scalar)
  {
    for (int i = 0; i < n; ++i) b[i] = twice(a[i]) + scalar;
    scalar = 0;
  }
  SAME(scalar, 7);
  for (int i = 0; i < n; ++i) SAME(b[i], 2 * i + 7);
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += a[i];
  SAME(sum, n * (n - 1) / 2);
#pragma omp target data map(tofrom : a [0:n])
  {
#pragma omp target parallel for schedule(dynamic)
    for (int i = 0; i < n; ++i) a[i] += 1;
#pragma omp target update from(a [0:10])
    SAME(a[3], 4);
#pragma omp target simd
    for (int i = 0; i < n; ++i) a[i] += 1;
  }
  for (int i = 0; i < n; ++i) SAME(a[i], i + 2);
#pragma omp target enter data map(to : b)
#pragma omp target map(alloc : b)
  b[5] = -1;
#pragma omp target exit data map(from : b)
  SAME(b[5], -1);
  // Target tasks and their dependences.
  int x = 1;
#pragma omp parallel
#pragma omp single
  {
#pragma omp target nowait depend(out : x) map(tofrom : x)
    x += 10;
#pragma omp target nowait depend(inout : x) map(tofrom : x)
    x *= 3;
#pragma omp target update nowait depend(inout : x) to(x)
#pragma omp task depend(inout : x) shared(x)
    x -= 1;
#pragma omp taskwait
  }
  SAME(x, 32);
  int* p = &x;
  sum = 0;
#pragma omp target data map(tofrom : x) use_device_ptr(p)
  *p = 9;
  SAME(x, 9);
#pragma omp target data map(tofrom : x) use_device_addr(x)
  {
    int* const there = &x;
    *there = 10;
  }
  SAME(x, 10);
#pragma omp target has_device_addr(x) map(tofrom : sum)
  sum += x;
  SAME(sum, 10);
#pragma omp target is_device_ptr(p) map(tofrom : sum)
  sum += *p;
  SAME(sum, 20);
#ifdef __clang__  // gcc 12 has no mappers
  {
    struct list {
      int length;
      int* values;
    };
#pragma omp declare mapper(struct list l) map(l, l.values [0:l.length])
    int values[10] = {0};
    struct list l = {10, values};
#pragma omp target map(tofrom : l)
    for (int i = 0; i < l.length; ++i) l.values[i] += i;
    for (int i = 0; i < 10; ++i) SAME(values[i], i);
#pragma omp target enter data map(to : l)
#pragma omp target
    l.values[3] = 100;
#pragma omp target exit data map(from : l)
    SAME(values[3], 100);
  }
#endif
#pragma omp target map(always, tofrom : global)
  global += 1;
  SAME(global, 6);
  int on_host = -1, threads = 0;
#pragma omp target device(omp_get_initial_device()) map(from : on_host)
  on_host = omp_is_initial_device();
  SAME(on_host, 1);
#pragma omp target if (0) map(from : threads) thread_limit(2)
  {
#pragma omp parallel num_threads(4)
#pragma omp single
    threads = omp_get_num_threads();
  }
  CHECK(threads >= 1 && threads <= 4, "%d threads", threads);
  return finish();
}
