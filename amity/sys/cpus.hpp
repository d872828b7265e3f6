// How many CPUs this process may keep busy: those of its affinity mask, cut by its control groups' quota.
//
//   const amity::sys::cpu_budget budget = amity::sys::usable_cpus();
//   start_workers(budget.usable);
//
// Takes 0.1 to 0.2 ms (a few small files of /proc and /sys); no allocation survives, nothing throws.
#pragma once

#include "amity/sys/cgroup.hpp"

namespace amity::sys {

struct cpu_budget {
  int usable = 1;               // min(in_mask, quota rounded up), at least 1
  int in_mask = 1;              // CPUs that the calling thread may run on
  double quota = 0;             // CPUs' worth of time that the control groups allow; 0: no limit
  char quota_source[512] = {};  // the file that sets it; empty without a limit
};

// `root` stands before the paths of the quota, for tests.
[[nodiscard]] cpu_budget usable_cpus(const char* root = "") noexcept;

// The rule by itself. Half a CPU is rounded up, not down: a worker that is throttled half of the time is still needed.
[[nodiscard]] int cut_by_quota(int in_mask, double quota) noexcept;

}  // namespace amity::sys
