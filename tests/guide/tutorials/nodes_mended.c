// [program]
#include <stdio.h>

enum { walks = 2000000, steps = 64, places = 2 * steps + 1 };

static int end_of_walk(unsigned random) {
  int place = steps;
  for (int i = 0; i < steps; ++i) {
    random = random * 1664525u + 1013904223u;
    place += random >> 31 ? 1 : -1;
  }
  return place;
}

int main(void) {
  int ends[places] = {0};
#pragma omp parallel for reduction(+ : ends)
  for (int walk = 0; walk < walks; ++walk)
    ++ends[end_of_walk(walk)];
  int most = 0;
  for (int place = 0; place < places; ++place)
    if (ends[place] > most) most = ends[place];
  printf("%d walks ended at the same place\n", most);
}
// [end]
