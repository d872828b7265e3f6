// The graph with a task_group, Amity's or oneTBB's, and a counter for each task: the thread that ends the last of its
// inputs begins it. That is what one writes by hand where the whole graph is known.
#pragma once

#include <atomic>
#include <memory>

#include "graph/graph.h"

namespace graphs {

template <class Group>
class by_group {
 public:
  static void run(graph* g) {
    by_group all(g);
    all.begin_ready();
    all.group_.wait();
  }

 private:
  explicit by_group(graph* g) : graph_(g), missing_(new std::atomic<int>[static_cast<unsigned>(g->tasks)]) {
    for (int t = 0; t < g->tasks; ++t)
      missing_[static_cast<unsigned>(t)].store(g->input_begin[t + 1] - g->input_begin[t], std::memory_order_relaxed);
  }

  void begin_ready() {
    for (int t = 0; t < graph_->tasks; ++t)
      if (graph_->input_begin[t] == graph_->input_begin[t + 1]) begin(t);
  }

  void begin(int t) {
    group_.run([this, t] { run_task(t); });
  }

  void run_task(int t) {
    graph_task(graph_, t);
    for (int i = graph_->output_begin[t]; i < graph_->output_begin[t + 1]; ++i) {
      int const next = graph_->outputs[i];
      // Release: this task's result; acquire: those of all others, by whoever begins the task.
      if (missing_[static_cast<unsigned>(next)].fetch_sub(1, std::memory_order_acq_rel) == 1) begin(next);
    }
  }

  graph* graph_;
  std::unique_ptr<std::atomic<int>[]> missing_;
  Group group_;
};

}  // namespace graphs
