// A little of everything, checked: what the environment and the system do to it must not change the answers.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;
#define CHECK(c)                                             \
  do                                                         \
    if (!(c)) {                                              \
      __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);       \
      fprintf(stderr, "wrong, line %d: %s\n", __LINE__, #c); \
    }                                                        \
  while (0)

static long fibonacci(int n) {
  if (n < 2) return n;
  long a, b;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

static void regions(void) {
  int size = 0, ran = 0;
#pragma omp parallel reduction(+ : ran)
  {
    ++ran;
#pragma omp single
    size = omp_get_num_threads();
    long sum = 0;
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < 100; ++i) sum += i;
#pragma omp barrier
  }
  CHECK(size >= 1 && ran == size);
}

static void loops(void) {
  long by_runtime = 0, dynamic = 0, guided = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : by_runtime)
  for (int i = 1; i <= 1000; ++i) by_runtime += i;
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : dynamic)
  for (int i = 1; i <= 1000; ++i) dynamic += i;
#pragma omp parallel for schedule(guided) reduction(+ : guided)
  for (int i = 1; i <= 1000; ++i) guided += i;
  CHECK(by_runtime == 500500 && dynamic == 500500 && guided == 500500);
}

static void tasks(void) {
  long result = 0;
  int chain = 0;
#pragma omp parallel
#pragma omp single
  {
    result = fibonacci(12);
    for (int i = 0; i < 20; ++i)
#pragma omp task depend(inout : chain) firstprivate(i)
      chain = chain == i ? i + 1 : -1000;
  }
  CHECK(result == 144 && chain == 20);
}

static void nested(void) {
  int inner = 0, sizes = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(3) reduction(+ : sizes)
#pragma omp parallel num_threads(2) reduction(+ : sizes)
  {
    omp_set_lock(&lock);
    ++inner;
    omp_unset_lock(&lock);
    ++sizes;
  }
  omp_destroy_lock(&lock);
  CHECK(inner == sizes && inner >= 1 && inner <= 6);
}

static void memory(void) {
  char* const text = omp_alloc(1000, omp_null_allocator);
  if (text == NULL) return;  // an allocator of the environment's may be empty
  memset(text, 'x', 1000);
  CHECK(text[999] == 'x');
  omp_free(text, omp_null_allocator);
}

int main(void) {
  regions();
  loops();
  tasks();
  nested();
  memory();
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
