// Tasks with a priority stand in a queue of the team's, which belongs to nobody: a share of a loop that is put there
// while the last member that could run it goes to sleep must not be missed.
#include <stdio.h>

enum { rounds = 20, most = 130 };

static long region(int n, int size) {
  int hits[most] = {0};
  int tasks = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(size) shared(hits)
    for (int i = 0; i < n; ++i) hits[i]++;
#pragma omp taskloop num_tasks(size) shared(hits) nogroup
    for (int i = n; i > 0; --i) hits[i - 1]++;
#pragma omp taskwait
#pragma omp taskloop collapse(2) shared(hits) untied priority(3)
    for (int i = 0; i < n; ++i)
      for (long j = 0; j < 2; ++j) {
#pragma omp atomic
        hits[i]++;
      }
#pragma omp taskloop grainsize(size) shared(hits) if (n > 40) final(n > 90)
    for (int i = 0; i < n; ++i) hits[i]++;
#pragma omp taskloop num_tasks(size) reduction(+ : tasks)
    for (int i = 0; i < n + size; ++i) tasks += 1;
  }
  long sum = tasks - size - n;
  for (int i = 0; i < n; ++i) sum += hits[i] - 5;
  return sum;
}

int main(void) {
  for (int round = 0; round < rounds; ++round)
    for (int n = 0; n < most; n += 13)
      for (int size = 1; size < 20; size += 6) {
        long const wrong = region(n, size);
        if (wrong != 0) return printf("n = %d, size = %d: %ld iterations too many\n", n, size, wrong), 1;
      }
  puts("ok");
}
