/* One thread waits for a lock that nobody gives back, and holds a critical section, for which another waits; the others
   wait at the barrier for them. */
#include <omp.h>
#include <stdio.h>

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_set_lock(&lock);
#pragma omp parallel num_threads(4)
  {
#pragma omp master
    {
      puts("ready");
      fflush(stdout);
    }
    if (omp_get_thread_num() == 1 || omp_get_thread_num() == 2) {
#pragma omp critical(update)
      omp_set_lock(&lock);
    }
#pragma omp barrier
    puts("never");
  }
  return 0;
}
