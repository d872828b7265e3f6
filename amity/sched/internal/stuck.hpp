#pragma once

/// The monitor's judgement: does user code keep a carrier, or has the kernel not let it run? On a machine with more
/// threads than cores a carrier may see no scheduling event for long because it had no core; one more kernel thread
/// would make that worse.
///
///     stuck_watch watch;                                                   // one for each carrier
///     verdict const v = watch.look(events, sys::cpu_time_ns(id), enough_ns);   // at each look of the monitor

#include <cstdint>
#include <utility>

#include "amity/sys/thread_activity.hpp"

namespace amity::sched {

enum class verdict : std::uint8_t {
  goes_on,
  stuck,
  no_core,  ///< it had none, unless it is blocked in the kernel: stays_blocked() tells
};

class stuck_watch {
 public:
  /// `events` is the carrier's count of scheduling events, `cpu_ns` the time that its kernel thread has been on a core.
  /// Stuck: no event since the last look, and since the last event it used `enough_ns`. What is not known of the thread
  /// is held against it: a rescue too many does less harm than one too few.
  [[nodiscard]] verdict look(std::uint64_t events, std::uint64_t cpu_ns, std::uint64_t enough_ns) noexcept {
    if (events != events_) {
      events_ = events;
      cpu_ns_ = cpu_ns;
      was_blocked_ = false;
      return verdict::goes_on;
    }
    if (cpu_ns == sys::unknown_time || cpu_ns_ == sys::unknown_time || cpu_ns < cpu_ns_) return verdict::stuck;
    return cpu_ns - cpu_ns_ >= enough_ns ? verdict::stuck : verdict::no_core;
  }

  /// For a carrier with `no_core`, once at each look: is it blocked in the kernel, as it was at the look before? One
  /// that is short of a core may meet a page fault at the very moment of a look; one that sleeps in a loop of its own
  /// is hardly ever seen awake.
  [[nodiscard]] bool stays_blocked(bool is_blocked) noexcept {
    return std::exchange(was_blocked_, is_blocked) && is_blocked;
  }

 private:
  std::uint64_t events_ = 0;
  std::uint64_t cpu_ns_ = 0;  ///< at the first look after the last event
  bool was_blocked_ = false;
};

}  // namespace amity::sched
