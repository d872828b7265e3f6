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

// A chain of dependent multiplications, the same for every compiler, opaque to both. In a register: what a chain
// through memory takes depends on what stands around it, by a fourth and more where the processor forwards stores by
// guessing.
void delay(void) {
  unsigned long x = 1;
  for (int i = 0; i < 72; ++i) {
    x = x * 0x9e3779b97f4a7c15ul + 1;
    __asm__ volatile("" : "+r"(x));
  }
}
