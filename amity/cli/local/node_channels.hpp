// What the processes of one program (`amity run --nodes`) have between them from the start: a stream for each pair, and
// a file without a name that all map.
#pragma once

#include <string>
#include <vector>

namespace amity::cli {

class node_channels {
 public:
  // `threads`: of each. After that, look at problem().
  node_channels(int count, int threads);
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
  [[nodiscard]] int& end(int of, int to) { return ends_[static_cast<std::size_t>(of * count_ + to)]; }

  int count_, threads_;
  int memory_ = -1;
  std::vector<int> ends_;  // of each process, to each other
  std::string problem_;
};

}  // namespace amity::cli
