// Tasks that make one another until a member of the team says that it is enough. It waits for a lock while they begin;
// when it has that, all cores are busy with them, and it must get its turn nevertheless. (OpenMP doesn't promise that;
// OS threads do.)
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { rounds = 5, chains = 16 };

static atomic_int enough, held, wanted;
static atomic_long ran;

static void again(void) {
  ++ran;
  if (enough) return;
#pragma omp task
  again();
}

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  int wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    enough = held = wanted = 0;
    ran = 0;
#pragma omp parallel
    {
      int const last = omp_get_num_threads() - 1;
      if (omp_get_thread_num() == 0) {
        omp_set_lock(&lock);
        held = 1;
        while (!wanted) usleep(100);
        usleep(1000);
        for (int i = 0; i < chains; ++i) {
#pragma omp task
          again();
        }
        while (ran < 1000) usleep(100);  // the others have begun
        omp_unset_lock(&lock);
      } else if (omp_get_thread_num() == last) {
        while (!held) usleep(100);
        wanted = 1;
        omp_set_lock(&lock);
        enough = 1;
        omp_unset_lock(&lock);
      }
    }
    if (ran < 1000) ++wrong;
  }
  omp_destroy_lock(&lock);
  printf(wrong == 0 ? "ok\n" : "wrong\n");
  return wrong;
}
