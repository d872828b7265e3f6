// Cores that something else uses too: child processes that compute without pause, each pinned to a CPU of its own.
//
//   const busy_cores busy(1);   // the last CPU of the affinity mask is busy until the end of the scope
//
// They end with this object, and with the process that made it, whatever ends that.
#pragma once

#include <sys/types.h>

#include <vector>

namespace amity::cli {

class busy_cores {
 public:
  // Requires: count <= CPUs in the mask.
  explicit busy_cores(int count);
  ~busy_cores();
  busy_cores(const busy_cores&) = delete;
  busy_cores& operator=(const busy_cores&) = delete;

  [[nodiscard]] const std::vector<int>& cpus() const { return cpus_; }

 private:
  std::vector<int> cpus_;
  std::vector<pid_t> children_;
};

}  // namespace amity::cli
