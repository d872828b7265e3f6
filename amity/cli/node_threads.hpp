// How many threads each node of `amity run --nodes` has.
#pragma once

#include <string>
#include <vector>

namespace amity::cli {

struct node_threads_wanted {
  std::string by_option;    // -t: of each node, "2" or "2,4"; empty: not given
  bool one_machine = true;  // the nodes share its cores
  bool says = true;         // what can't be used gets words
};

// Of each of `nodes`, by OMP_PLACES=nodes..., -t, OMP_NUM_THREADS (of all together), or the cores that may be used, in
// this order. 0: none. An OMP_PLACES of nodes that can't be used gets words, all threads are on the first node then,
// and the variable is gone.
[[nodiscard]] std::vector<int> threads_of_nodes(int nodes, const node_threads_wanted& wanted);

// "2,4", and back; empty: it is something else.
[[nodiscard]] std::string text_of(const std::vector<int>& threads);
[[nodiscard]] std::vector<int> threads_of(const std::string& text);

}  // namespace amity::cli
