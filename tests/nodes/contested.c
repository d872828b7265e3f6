/* Regions whose threads write to the same page all the time: contested REGIONS [key]. Prints ok. With THREAD_LOCAL,
 * each thread counts for itself, too, and so it does with a key: what a thread has must be there in the next region. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 64 };
static int shared[most];
#ifdef THREAD_LOCAL
static int own;
#pragma omp threadprivate(own)
#endif

int main(int count, char** words) {
  int wrong = 0, regions = count > 1 ? atoi(words[1]) : 1000;
  pthread_key_t key;
  if (count > 2 && pthread_key_create(&key, 0) != 0) return 1;
  for (int region = 0; region < regions; region++) {
#pragma omp parallel reduction(+ : wrong)
    {
      int me = omp_get_thread_num();
      for (int i = 0; i < 20; i++) __atomic_fetch_add(&shared[me], 1, __ATOMIC_RELAXED);
      wrong += shared[me] != 20 * (region + 1);
#ifdef THREAD_LOCAL
      wrong += own++ != region;
#endif
      if (count > 2) {
        long had = (long)pthread_getspecific(key);
        wrong += had != region;
        pthread_setspecific(key, (void*)(had + 1));
      }
    }
  }
  printf(wrong ? "%d wrong\n" : "ok\n", wrong);
  return wrong != 0;
}
