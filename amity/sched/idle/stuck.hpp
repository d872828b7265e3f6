#pragma once

/// The monitor's judgement: does user code keep a carrier, or has the kernel not let it run? On a machine with more
/// threads than cores a carrier may see no scheduling event for long because it had no core; one more OS thread
/// would make that worse.
///
///     stuck_watch watch;                                                   // one for each carrier
///     verdict const v = watch.look(events, sys::cpu_time_ns(id), enough_ns);   // at each look of the monitor

#include <cstdint>
#include <utility>

#include "amity/sched/idle/monitor_limits.hpp"
#include "amity/sys/thread_activity.hpp"

namespace amity::sched {

enum class verdict : std::uint8_t {
  goes_on,
  stuck,
  no_core,  ///< it had none, unless it is blocked in the kernel or yields: stays_blocked() and gives_its_core_away()
};

/// What the kernel says of a carrier's thread at this look.
enum class kernel_word : std::uint8_t { not_asked, waits, does_not_wait };

class stuck_watch {
 public:
  /// `events` is the carrier's count of scheduling events, `cpu_ns` the time that its OS thread has been on a core.
  /// Stuck: no event since the last look, and since the last event it used `enough_ns`. What is not known of the thread
  /// is held against it: a rescue too many does less harm than one too few.
  [[nodiscard]] verdict look(std::uint64_t events, std::uint64_t cpu_ns, std::uint64_t enough_ns) noexcept {
    ran_ns_ = cpu_ns == sys::unknown_time || cpu_ns < at_look_ns_ ? monitor_limits::hardly_ns : cpu_ns - at_look_ns_;
    at_look_ns_ = cpu_ns;
    if (events != events_) {
      events_ = events;
      cpu_ns_ = cpu_ns;
      was_blocked_ = false;
      switches_ = sys::unknown_time;
      return verdict::goes_on;
    }
    latest_cpu_ns_ = cpu_ns;
    if (cpu_ns == sys::unknown_time || cpu_ns_ == sys::unknown_time || cpu_ns < cpu_ns_) return verdict::stuck;
    return cpu_ns - cpu_ns_ >= enough_ns ? verdict::stuck : verdict::no_core;
  }

  /// For a carrier with `no_core`, once at each look: is it blocked in the kernel, as it was at the look before? One
  /// that is short of a core may meet a page fault at the very moment of a look; one that sleeps in a loop of its own
  /// is hardly ever seen awake.
  [[nodiscard]] bool stays_blocked(bool is_blocked) noexcept {
    return std::exchange(was_blocked_, is_blocked) && is_blocked;
  }

  /// As of the last look.
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }

  /// The time on a core as of the last look.
  [[nodiscard]] std::uint64_t cpu_ns() const noexcept { return at_look_ns_; }

  /// Has it used `enough_ns` since its time was `cpu_ns`? What is not known is held against it, as in look().
  [[nodiscard]] bool has_used(std::uint64_t enough_ns, std::uint64_t since_cpu_ns) const noexcept {
    bool const known =
        at_look_ns_ != sys::unknown_time && since_cpu_ns != sys::unknown_time && at_look_ns_ >= since_cpu_ns;
    return !known || at_look_ns_ - since_cpu_ns >= enough_ns;
  }

  /// Between the last two looks its thread was on a core for a moment only.
  [[nodiscard]] bool hardly_ran() const noexcept { return ran_ns_ < monitor_limits::hardly_ns; }

  /// For a carrier with `no_core`, once at each look: has it, since the first such look after the last event, left its
  /// core again and again though it could have gone on, each time after a moment only? Then it is no core that it
  /// lacks: user code waits there in a loop of sched_yield(), on a core that something else uses too, and hardly uses
  /// any time. (A carrier that waits for the kernel again and again, for memory while threads are made, could not have
  /// gone on.)
  [[nodiscard]] bool gives_its_core_away(std::uint64_t switches) noexcept {
    if (switches == sys::unknown_time) return false;
    if (switches_ == sys::unknown_time) {
      switches_ = switches;
      first_cpu_ns_ = latest_cpu_ns_;
      return false;
    }
    std::uint64_t const had = switches - switches_;
    return had >= monitor_limits::some_switches && latest_cpu_ns_ - first_cpu_ns_ < had * monitor_limits::moment_ns;
  }

  /// What was seen of that may have been the runtime's own doing (spin_lock.hpp): counts from the next look on.
  void forget_switches() noexcept { switches_ = sys::unknown_time; }

 private:
  std::uint64_t events_ = 0;
  std::uint64_t cpu_ns_ = 0;  ///< at the first look after the last event
  std::uint64_t latest_cpu_ns_ = 0;
  std::uint64_t at_look_ns_ = 0;  ///< at the last look
  std::uint64_t ran_ns_ = 0;      ///< between that one and the one before
  bool was_blocked_ = false;
  std::uint64_t switches_ = sys::unknown_time;  ///< at the first look without a core after the last event
  std::uint64_t first_cpu_ns_ = 0;              ///< and the time on a core until then
};

}  // namespace amity::sched
