// Members of several teams wait for one another in loops of their own, which sleep or yield: each must get a core now
// and then, however many share one, whoever came first, and whichever team it belongs to.
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

enum { most_leaders = 4 };
enum wait { sleeping, yielding, waits };

static int arrived;
static enum wait how;

static void meet(int all) {
  __atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);
  while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < all) {
    if (how == sleeping)
      usleep(10);
    else
      sched_yield();
  }
}

static int leaders, members;

static void* lead(void* unused) {
  (void)unused;
  omp_get_num_threads();
  meet(leaders);
#pragma omp parallel num_threads(members)
  meet(leaders + leaders * members);
  return NULL;
}

/// Threads of the program's own lead a region each, at once.
static void roots(int l, int m) {
  pthread_t thread[most_leaders];
  leaders = l;
  members = m;
  arrived = 0;
  for (int i = 0; i < leaders; ++i) pthread_create(&thread[i], NULL, lead, NULL);
  for (int i = 0; i < leaders; ++i) pthread_join(thread[i], NULL);
}

/// Members of a region lead one each.
static void nest(int l, int m) {
  arrived = 0;
#pragma omp parallel num_threads(l)
#pragma omp parallel num_threads(m)
  meet(l * m);
}

int main(void) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  for (how = sleeping; how < waits; ++how) {
    for (int round = 0; round < 100; ++round) roots(2, 2);
    for (int round = 0; round < 20; ++round) {
      roots(3, 2);
      nest(3, 2);
    }
    for (int round = 0; round < 5; ++round) {
      roots(4, 3);
      nest(4, 4);
    }
  }
  printf("ok\n");
  return 0;
}
