// oneTBB's task_group and counters.
#include <oneapi/tbb/task_group.h>

#include "common/tbb_begin.hpp"
#include "graph/suite.h"
#include "graph/task_group.hpp"

int main(int argc, char** argv) {
  graph_runner const tbb_group = {.begin = bench::begin_tbb, .run = graphs::by_group<tbb::task_group>::run};
  return graph_main(argc, argv, &tbb_group);
}
