// A recursion that is deep and leaves tasks behind at each level, as the search of a graph does: more of them than a
// thread's queue can hold. It takes milliseconds; where each search for a task looks at all of them, minutes.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { nodes = 14000, edges = 2 * nodes, rounds = 3 };

static int first[nodes + 1], neighbour[2 * edges], seen[nodes], reached;

static unsigned random_number(void) {
  static unsigned state = 5;
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

static void make_graph(void) {
  static int from[edges], to[edges], next[nodes];
  for (int e = 0; e < edges; ++e) {
    from[e] = (int)(random_number() % nodes);
    to[e] = (int)(random_number() % nodes);
    ++first[from[e] + 1];
    ++first[to[e] + 1];
  }
  for (int i = 0; i < nodes; ++i) first[i + 1] += first[i];
  for (int i = 0; i < nodes; ++i) next[i] = first[i];
  for (int e = 0; e < edges; ++e) {
    neighbour[next[from[e]]++] = to[e];
    neighbour[next[to[e]]++] = from[e];
  }
}

/// The component of `i` by hand.
static int count_reachable(int start) {
  static int stack[nodes];
  static char marked[nodes];
  int top = 0, count = 0;
  for (int i = 0; i < nodes; ++i) marked[i] = 0;
  stack[top++] = start;
  marked[start] = 1;
  while (top > 0) {
    int const i = stack[--top];
    ++count;
    for (int k = first[i]; k < first[i + 1]; ++k)
      if (!marked[neighbour[k]]) {
        marked[neighbour[k]] = 1;
        stack[top++] = neighbour[k];
      }
  }
  return count;
}

static void visit(int i) {
  if (__atomic_exchange_n(&seen[i], 1, __ATOMIC_RELAXED)) return;
  __atomic_fetch_add(&reached, 1, __ATOMIC_RELAXED);
  for (int k = first[i]; k < first[i + 1]; ++k) {
    int const next = neighbour[k];
#pragma omp task untied firstprivate(next)
    visit(next);
  }
#pragma omp taskwait
}

int main(void) {
  make_graph();
  int const expected = count_reachable(0);
  int wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < nodes; ++i) seen[i] = 0;
    reached = 0;
#pragma omp parallel
#pragma omp single
    visit(0);
    if (reached != expected) printf("%d nodes were reached, not %d\n", reached, expected), ++wrong;
  }
  if (wrong == 0) printf("ok\n");
  return wrong != 0;
}
