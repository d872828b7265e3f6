/* Ranges that come before they are used, on this node and on another one, to read and to write; and hints that name
 * nothing, or too much. Prints ok. hints N: how often. */
#include <amity/nodes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { length = 1 << 16 };
static double field[length];

static void hint(const void* from, size_t bytes) {
  for (int node = -3; node < 4; node++) {
    amity_nodes_prefetch(from, bytes, amity_nodes_to_read, node);
    amity_nodes_prefetch(from, bytes, amity_nodes_to_write, node);
  }
}

int main(int count, char** words) {
  int rounds = count > 1 ? atoi(words[1]) : 20, wrong = 0, on_stack = 0;
  double* heap = malloc(length * sizeof *heap);
  for (int i = 0; i < length; i++) field[i] = heap[i] = i;
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel reduction(+ : wrong)
    {
      int me = omp_get_thread_num(), all = omp_get_num_threads();
      /* in turn, each has another part: all of it moves */
      int part = (me + round) % all, from = length / all * part, to = from + length / all;
      amity_nodes_prefetch(field + from, (to - from) * sizeof *field, amity_nodes_to_write, amity_nodes_here);
      amity_nodes_prefetch(heap + from, (to - from) * sizeof *heap, amity_nodes_to_read, round % amity_nodes_count());
      double sum = 0;
      for (int i = from; i < to; i++) {
        wrong += field[i] != i + round;
        field[i] += 1;
        sum += heap[i];
      }
      wrong += sum != 0.5 * (to - from) * (from + to - 1.0);
      hint(0, 10);
      hint(&sum, sizeof sum);
      hint(&on_stack, 1);
      hint(heap, 0);
      hint(field + length - 1, (size_t)1 << 60);
      hint((const void*)-8, 100);
      hint(puts, 100);
    }
  }
  free(heap);
  printf(wrong ? "%d wrong\n" : "ok\n", wrong);
  return wrong != 0;
}
