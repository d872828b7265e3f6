// depend(... : omp_all_memory): a task that comes after all of its earlier siblings with dependences, and before all
// later ones.
#include <omp.h>
#include <stdio.h>

enum { rounds = 60, each = 12 };

int main(void) {
  int place[each], before = 0, after = 0, wrong = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < each; ++i) {
#pragma omp task depend(out : place[i]) shared(place, before)
      {
        for (int volatile spin = 0; spin < 500; ++spin) continue;
        place[i] = round;
#pragma omp atomic
        ++before;
      }
    }
#pragma omp task depend(inout : omp_all_memory) shared(place, before, after, wrong)
    {
      if (before != (round + 1) * each || after != round * each) wrong = 1;
      for (int i = 0; i < each; ++i) place[i] = -1 - round;
    }
    for (int i = 0; i < each; ++i) {
#pragma omp task depend(in : place[i]) shared(place, after, wrong)
      {
        if (place[i] != -1 - round) {
#pragma omp atomic write
          wrong = 1;
        }
#pragma omp atomic
        ++after;
      }
    }
  }
  if (wrong || before != rounds * each || after != rounds * each) return printf("wrong\n"), 1;
  puts("ok");
}
