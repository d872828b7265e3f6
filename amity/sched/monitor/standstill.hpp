#pragma once

/// A process of a job stands still when nothing in it can go on unless a message comes. Whether one may come, the job
/// has to find out (net/standstill.cpp); the monitor says only how it stands here.

#include <cstdint>
#include <vector>

#include "amity/base/config.hpp"

namespace amity::sched {

/// The job's. Both are called by the monitor's thread, once a second while at_stall asks for it; neither blocks.
struct job_watch {
  void (*begin_look)() noexcept;
  /// All that runs fibers here was asleep at the last look and at this one, and no deadline, descriptor, signal or
  /// thread of the program's can wake it. `waits`: some thread of the program waits for something that it has named.
  void (*stands_still)(bool waits) noexcept;
};
/// From now on the job is told, and a standstill is reported by it. Static. Once in a process.
void watch_job(const job_watch& w) noexcept;

/// What could wake somebody here, and what is of the scheduler itself: OS threads, and handlers of signals.
struct outsiders {
  std::vector<int> threads;   ///< the kernel's numbers, in ascending order; none: nobody tells
  std::uint32_t signals = 0;  ///< bit i: signal i has a handler
};
[[nodiscard]] outsiders list_outsiders() noexcept;
/// What has come since belongs to libraries of the job's, as the launcher's and the network's: it wakes nobody unless
/// something comes from outside.
void excuse_since(const outsiders& before) noexcept;

/// Prints what the fibers wait for, a line for all that wait for the same at the same place, and whether tasks wait for
/// a thread that the system refuses. False: no fiber has named anything.
bool report_waits() noexcept;

/// AMITY_STALL=abort.
[[nodiscard]] bool aborts_at_standstill() noexcept;

}  // namespace amity::sched
