// oneTBB's flow graph: a continue_node for each task. It is made anew for each run, as tasks and futures are.
#include <oneapi/tbb/flow_graph.h>

#include <deque>

#include "common/tbb_begin.hpp"
#include "graph/suite.h"

namespace {

namespace flow = tbb::flow;
using node = flow::continue_node<flow::continue_msg>;

void run(graph* g) {
  flow::graph all;
  std::deque<node> nodes;
  for (int t = 0; t < g->tasks; ++t) {
    nodes.emplace_back(all, [g, t](const flow::continue_msg&) { graph_task(g, t); });
    for (int i = g->input_begin[t]; i < g->input_begin[t + 1]; ++i)
      flow::make_edge(nodes[static_cast<unsigned>(g->inputs[i])], nodes.back());
  }
  for (int t = 0; t < g->tasks; ++t)
    if (g->input_begin[t] == g->input_begin[t + 1]) nodes[static_cast<unsigned>(t)].try_put(flow::continue_msg());
  all.wait_for_all();
}

}  // namespace

int main(int argc, char** argv) {
  graph_runner const tbb_flow = {.begin = bench::begin_tbb, .run = run};
  return graph_main(argc, argv, &tbb_flow);
}
