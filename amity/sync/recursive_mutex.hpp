#pragma once

/// A mutex that its holder may lock again, as std::recursive_timed_mutex; waiting blocks the fiber, never the core.
///
///     sync::recursive_mutex m;
///     std::lock_guard outer(m);
///     { std::lock_guard inner(m); }
///
/// The holder is the thread: the fiber with its identity. A task that waits while it holds one may have the task that
/// it waits for run on top of it, as the same thread: that one is let in, too. Code that must exclude its own tasks
/// takes a plain mutex.

#include "amity/sched/loop/park.hpp"
#include "amity/sync/nest_mutex.hpp"

namespace amity::sync {

/// As std::recursive_timed_mutex.
class recursive_mutex {
 public:
  /// Waits while another thread holds it. As often as it is locked it must be unlocked.
  void lock() noexcept { mutex_.lock(sched::self()); }
  /// Never waits. False: another thread holds it.
  [[nodiscard]] bool try_lock() noexcept { return mutex_.try_lock(sched::self()) != 0; }
  /// False: another thread held it for that long.
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& wait) noexcept {
    return mutex_.try_lock_until(sched::self(), sched::instant_after(wait)) != 0;
  }
  /// False: another thread held it until that time.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) noexcept {
    return sched::wait_by_clock(
        time, [this](sched::instant deadline) { return mutex_.try_lock_until(sched::self(), deadline) != 0; });
  }
  /// Requires: the caller's thread holds it.
  void unlock() noexcept { mutex_.unlock(); }

 private:
  nest_mutex mutex_;
};

/// std's name for one with deadlines.
using recursive_timed_mutex = recursive_mutex;

}  // namespace amity::sync
