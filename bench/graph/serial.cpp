// One task after the other, row by row.
#include "graph/suite.h"

int main(int argc, char** argv) {
  graph_runner const serial = {.begin = nullptr, .run = [](graph* g) {
                                 for (int t = 0; t < g->tasks; ++t) graph_task(g, t);
                               }};
  return graph_main(argc, argv, &serial);
}
