// amity::async_await: a future for each task, and tasks that wait for futures. All are made in advance.
#include <amity/future/combine.hpp>
#include <vector>

#include "common/amity_begin.hpp"
#include "graph/suite.h"

namespace {

using done = amity::shared_future<void>;

void run(graph* g) {
  std::vector<done> tasks;
  tasks.reserve(static_cast<unsigned>(g->tasks));
  for (int t = 0; t < g->tasks; ++t) {
    int const begin = g->input_begin[t], end = g->input_begin[t + 1];
    if (begin == end) {
      tasks.emplace_back(amity::async([g, t] { graph_task(g, t); }));
    } else {
      std::vector<done> inputs;
      inputs.reserve(static_cast<unsigned>(end - begin));
      for (int i = begin; i < end; ++i) inputs.push_back(tasks[static_cast<unsigned>(g->inputs[i])]);
      tasks.emplace_back(amity::async_await(std::move(inputs), [g, t] { graph_task(g, t); }));
    }
  }
  amity::wait_all(tasks);
}

}  // namespace

int main(int argc, char** argv) {
  graph_runner const amity = {.begin = bench::begin_amity, .run = run};
  return graph_main(argc, argv, &amity);
}
