// What `amity info` says about the machine and the process, collected; and what the benchmarks note beside their
// figures.
#pragma once

#include <string>
#include <vector>

#include "amity/sys/cpus.hpp"
#include "amity/sys/topology.hpp"

namespace amity::cli {

struct machine_info {
  std::string host;
  std::string cpu_model;
  std::string kernel;
  bool fsgsbase = false;  // user space may set the FS base itself: switching identities takes no system call
  sys::topology_summary topology;
  sys::cpu_budget budget;
  std::string mask;  // "0-3,8"
};

[[nodiscard]] machine_info look_at_machine();

struct setting {
  std::string name;
  std::string value;
};
// The variables of the environment that an OpenMP runtime or Amity reads: OMP_*, GOMP_*, KMP_*, AMITY_*; sorted.
[[nodiscard]] std::vector<setting> settings_in_environment();

}  // namespace amity::cli
