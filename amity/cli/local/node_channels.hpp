// What the processes of one program (`amity run --nodes`) have between them from the start: a stream for each pair, and
// either a file without a name that all map, or a second stream for each pair, which carries pages.
#pragma once

#include <string>
#include <vector>

namespace amity::cli {

enum class nodes_memory { pages, shared };

// What the program in process `own` is told of its connections (amity/nodes/job.hpp); those are kept open for it, out
// of the way of what it opens. And how many workers it has (AMITY_RUN_THREADS). `threads`: of each process;
// `for_messages`, `for_pages`: descriptors by process; the own one's doesn't count. `memory`: -1 with pages.
void tell_of_connections(int own, const std::vector<int>& threads, int memory, const std::vector<int>& for_messages,
                         const std::vector<int>& for_pages);

class node_channels {
 public:
  // `threads`: of each node. After that, look at problem().
  node_channels(std::vector<int> threads, nodes_memory memory);
  ~node_channels() { close(); }
  node_channels(const node_channels&) = delete;
  node_channels& operator=(const node_channels&) = delete;

  // Why they can't be; empty: they are there.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  // In the process that becomes node `own`: keeps its ends open for the program, out of the way of what that opens, and
  // tells it by the environment (amity/nodes/job.hpp).
  void become(int own);

  // In the launcher, when all have been started: one that ends is noticed by the others only if nobody else has its
  // ends.
  void close();

 private:
  // Of each process, to each other.
  using ends = std::vector<int>;
  [[nodiscard]] int& end(ends& all, int of, int to) const { return all[static_cast<std::size_t>(of * count_ + to)]; }
  void connect(ends& all);

  int count_;
  std::vector<int> threads_;
  int memory_ = -1;  // -1: pages
  ends for_messages_, for_pages_;
  std::string problem_;
};

}  // namespace amity::cli
