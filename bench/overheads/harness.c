#include "harness.h"

struct slot slots[most_threads];

void clear_slots(void) {
  for (int i = 0; i < most_threads; ++i) slots[i].count = 0;
}

long sum_of_slots(void) {
  long sum = 0;
  for (int i = 0; i < most_threads; ++i) sum += slots[i].count;
  return sum;
}

double one_each(void) { return team.threads <= team.cpus ? 1 : (double)team.threads / team.cpus; }

// A chain of dependent additions, the same for every compiler, opaque to both.
void delay(void) {
  double x = 1;
  for (int i = 0; i < 32; ++i) {
    x += 0.5;
    __asm__ volatile("" : "+m"(x));
  }
}
