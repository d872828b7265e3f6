// amity::task_group and counters.
#include <amity/finish/task_group.hpp>

#include "common/amity_begin.hpp"
#include "graph/suite.h"
#include "graph/task_group.hpp"

int main(int argc, char** argv) {
  graph_runner const amity = {.begin = bench::begin_amity, .run = graphs::by_group<amity::task_group>::run};
  return graph_main(argc, argv, &amity);
}
