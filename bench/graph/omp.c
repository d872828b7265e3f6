// OpenMP's tasks with depend clauses, made by one thread.
#include "graph/suite.h"

static void make_task(struct graph* g, int t) {
  const int begin = g->input_begin[t];
  const int count = g->input_begin[t + 1] - begin;
  (void)count;  // gcc 12 overlooks that the clause uses it
  char* out = graph_result(g, t);
#pragma omp task depend(iterator(i = 0                                       \
                                 : count),                                   \
                        in                                                   \
                        : *graph_result(g, g->inputs[begin + i])) depend(out \
                                                                         : *out) firstprivate(g, t)
  graph_task(g, t);
}

static void run(struct graph* g) {
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < g->tasks; ++t) make_task(g, t);
}

int main(int argc, char** argv) { return graph_main(argc, argv, &(struct graph_runner){.run = run}); }
