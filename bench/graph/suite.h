// What the programs of this folder have in common: which graphs there are, and the command line. Each says how it runs
// one:
//
//   int main(int argc, char** argv) { return graph_main(argc, argv, &(struct graph_runner){.run = run}); }
#pragma once

#include "graph/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

struct graph_runner {
  void (*begin)(int threads);    // before anything else, once; 0: nothing
  void (*run)(struct graph* g);  // every task once, after those that it depends on
};

int graph_main(int argc, char** argv, const struct graph_runner* runner);

#ifdef __cplusplus
}
#endif
