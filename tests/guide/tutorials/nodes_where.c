// [program]
#include <amity/nodes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { length = 3 << 18 };

int main(void) {
  // Filled by main(): all of it is on node 0.
  double* x = malloc(length * sizeof *x);
  for (int i = 0; i < length; ++i) x[i] = 0.5;

  int node_of[omp_get_max_threads()];
  double sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    int const me = omp_get_thread_num();
    int const part = length / omp_get_num_threads();
    double const* mine = x + me * part;
    amity_nodes_prefetch(mine, part * sizeof *mine,
                         amity_nodes_to_read,
                         amity_nodes_here);
    node_of[me] = amity_nodes_own();
    for (int i = 0; i < part; ++i) sum += mine[i];
  }
  for (int i = 0; i < omp_get_max_threads(); ++i)
    printf("thread %d is on node %d of %d\n", i, node_of[i],
           amity_nodes_count());
  printf("the sum is %.0f\n", sum);
  free(x);
}
// [end]
