// [program]
#include <omp.h>
#include <stdio.h>

enum { walks = 2000000, steps = 64, places = 2 * steps + 1 };

// Of each thread's walks: how many ended at each place.
static int ends[64][places];

static int end_of_walk(unsigned random) {
  int place = steps;
  for (int i = 0; i < steps; ++i) {
    random = random * 1664525u + 1013904223u;
    place += random >> 31 ? 1 : -1;
  }
  return place;
}

int main(void) {
#pragma omp parallel for
  for (int walk = 0; walk < walks; ++walk)
    ++ends[omp_get_thread_num()][end_of_walk(walk)];
  int most = 0;
  for (int place = 0; place < places; ++place) {
    int here = 0;
    for (int thread = 0; thread < 64; ++thread)
      here += ends[thread][place];
    if (here > most) most = here;
  }
  printf("%d walks ended at the same place\n", most);
}
// [end]
