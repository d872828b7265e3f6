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
