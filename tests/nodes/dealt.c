/* Which node each member of a team is on: "3 2: 0 0 1" is 3 threads by default, 2 nodes. dealt [THREADS] */
#include <amity/nodes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int node_of[1000], process_of[1000];

int main(int count, char** words) {
  int most = omp_get_max_threads(), size = 0;
  if (count > 1) omp_set_num_threads(atoi(words[1]));
#pragma omp parallel
  {
    node_of[omp_get_thread_num()] = amity_nodes_own();
    process_of[omp_get_thread_num()] = getpid();
#pragma omp master
    size = omp_get_num_threads();
  }
  printf("%d %d:", most, amity_nodes_count());
  for (int i = 0; i < size; i++) printf(" %d", node_of[i]);
  puts("");
  for (int i = 1; i < size; i++)
    if ((node_of[i] == node_of[i - 1]) != (process_of[i] == process_of[i - 1])) return puts("wrong process"), 1;
  for (int node = 0; count == 1 && node < amity_nodes_count(); node++) {
    int members = 0;
    for (int i = 0; i < size; i++) members += node_of[i] == node;
    int of_node = amity_nodes_threads(node);
    if (members != of_node) return printf("node %d: %d threads\n", node, of_node), 1;
  }
  return amity_nodes_threads(amity_nodes_count()) != 0 || amity_nodes_threads(-1) != 0;
}
