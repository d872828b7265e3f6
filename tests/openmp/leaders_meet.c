// Threads of the program's own lead a region each, at once, and all members of all of them wait for one another in
// loops that sleep: each must get a kernel thread, however many share a core, and whoever came first.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { leaders = 2, members = 2, rounds = 150 };

static int arrived;

static void arrive(void) { __atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL); }

static void meet(int all) {
  arrive();
  while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < all) usleep(10);
}

static void* lead(void* unused) {
  (void)unused;
  omp_get_num_threads();
  meet(leaders);
#pragma omp parallel num_threads(members)
  meet(leaders + leaders * members);
  return NULL;
}

int main(void) {
  for (int round = 0; round < rounds; ++round) {
    pthread_t thread[leaders];
    arrived = 0;
    for (int i = 0; i < leaders; ++i) pthread_create(&thread[i], NULL, lead, NULL);
    for (int i = 0; i < leaders; ++i) pthread_join(thread[i], NULL);
  }
  printf("ok\n");
  return 0;
}
