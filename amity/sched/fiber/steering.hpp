#pragma once

/// Where a helper begins, or goes on after a sleep. Where the kernel does not see idle cores, it would put the helper's
/// OS thread on the CPU of the carrier that makes or wakes it, to wait until that one rests. So that carrier
/// confines the OS thread to a free CPU (contention.hpp: start_apart, steer). The helper takes its CPUs
/// back itself, before it runs anybody's code (end_steering): the program never sees a thread confined that nobody
/// bound.

#include <atomic>
#include <cstdint>

#include "amity/sys/affinity.hpp"

namespace amity::sched {

struct steering {
  enum state : std::uint32_t {
    none,
    begun,     ///< its waker looks for a CPU; the helper waits for the outcome before it goes on
    confined,  ///< to `cpu`; it had `before`, and takes that back
  };
  /// Dekker with the end of a sleep: the waker stores `begun`, then takes `asleep` back to 0; the helper stores that 0,
  /// then reads this. All seq_cst. The other two are written before `confined`, which is a release.
  std::atomic<std::uint32_t> now{none};
  int cpu = -1;
  sys::affinity before;
};

}  // namespace amity::sched
