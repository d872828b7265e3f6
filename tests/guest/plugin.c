// A shared object that uses OpenMP. It is loaded by host.c, which does not.
#include <omp.h>

static int kept;
#pragma omp threadprivate(kept)

// 1 if everything came out right. `threads` 0: as many as a region has.
int plugin_run(int threads, int* threads_seen) {
  int sum = 0, size = 0, own = 0, tasks = 0, calls = 0;
  if (threads == 0) threads = omp_get_max_threads();
#pragma omp parallel num_threads(threads) reduction(+ : own)
  {
    kept = omp_get_thread_num() + 1;
#pragma omp for schedule(dynamic, 2) reduction(+ : sum)
    for (int i = 0; i < 100; ++i) sum += i;
#pragma omp single
    {
      size = omp_get_num_threads();
      for (int i = 0; i < 8; ++i)
#pragma omp task shared(tasks)
      {
#pragma omp atomic
        ++tasks;
      }
    }
#pragma omp critical(plugin)
    ++calls;
    own += kept == omp_get_thread_num() + 1;
  }
  *threads_seen = size;
  return sum == 4950 && own == size && tasks == 8 && calls == size;
}
