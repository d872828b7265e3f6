#pragma once

/// What the monitor does, for a profile's timeline (profile/beside.hpp).

#include <atomic>

namespace amity::sched {

/// Null: nobody wants to see it. Set when the pool starts, before there is a monitor, and never changed. Relaxed: what
/// it needs was there before the threads.
inline std::atomic<void (*)(const char* act) noexcept> shown_acts_go_to{nullptr};

inline void show_act(const char* act) noexcept {
  if (auto* const to = shown_acts_go_to.load(std::memory_order_relaxed); to != nullptr) to(act);
}

}  // namespace amity::sched
