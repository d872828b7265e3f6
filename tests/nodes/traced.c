/* Lines that wait for pages of other nodes, for tracing.py. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 40000, rounds = 30 };
static int field[count];

__attribute__((noinline)) static int* make_block(void) {
  int* block = malloc(count * sizeof(int)); /* line: block */
  return block;
}

int main(void) {
  int* block = make_block();
  memset(block, 0, count * sizeof(int));
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel
    {
      int all = omp_get_num_threads(), from = (omp_get_thread_num() + round) % all * (count / all);
      for (int i = from; i < from + count / all; i++) {
        field[i] += 1; /* line: field */
        block[i] += 1; /* line: use of block */
      }
    }
  }
  int right = field[count - 1] == rounds && block[0] == rounds;
  puts(right ? "ok" : "wrong");
  return !right;
}
