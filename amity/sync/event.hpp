#pragma once

/// Something that occurs and is waited for, by any number, and may be made to occur again. As HPX's event; waiting
/// blocks the fiber, never the core.
///
///     sync::event loaded;
///     ... loaded.set();             // those that wait go on, those that come later do not wait
///     loaded.wait();
///     loaded.reset();               // from now on they wait again
///
/// Memory ordering: what happened before a set() happens before the return of the waits that it ends.

#include <atomic>
#include <cstdint>

#include "amity/sync/parking.hpp"

namespace amity::sync {

/// Set or not; not at first. A fiber that has waited may destroy it, though the set() may not have returned.
class event {
 public:
  constexpr event() noexcept = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;

  /// It is set.
  [[nodiscard]] bool occurred() const noexcept { return is_set(word_.load(std::memory_order_acquire)); }

  /// Waits until it is set. One set() is enough for all that wait then, even if a reset() follows at once.
  void wait() noexcept { static_cast<void>(wait_by(sched::never)); }
  /// False: it was not set for that long.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& wait) noexcept {
    return wait_by(sched::instant_after(wait));
  }
  /// False: it was not set until that time.
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration>& time) noexcept {
    return sched::wait_by_clock(time, [this](sched::instant deadline) { return wait_by(deadline); });
  }

  /// Sets it and wakes all that wait. Never waits. Nothing changes if it is set.
  void set() noexcept {
    // Pairs with occurred and wait_by. A fiber that waits may destroy this at once: from here on only the address is
    // used.
    if (change_from(false)) unpark_all(this);
  }
  /// It has not occurred any more.
  void reset() noexcept { change_from(true); }

 private:
  // Odd while it is set. Each change counts, so that a waiter sees that it was set also when it is not any more.
  std::atomic<std::uint64_t> word_{0};

  [[nodiscard]] static constexpr bool is_set(std::uint64_t word) noexcept { return word % 2 != 0; }

  // False: it was not so. acq_rel: a reset passes on what the set before it released.
  bool change_from(bool set) noexcept {
    std::uint64_t now = word_.load(std::memory_order_relaxed);
    while (is_set(now) == set)
      if (word_.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel, std::memory_order_relaxed)) return true;
    return false;
  }

  bool wait_by(sched::instant deadline) noexcept {
    const std::uint64_t before = word_.load(std::memory_order_acquire);  // pairs with set
    if (is_set(before)) return true;
    while (word_.load(std::memory_order_acquire) == before) {  // the same
      if (deadline != sched::never && sched::now() >= deadline) return false;
      park_at(this, [&] { return word_.load(std::memory_order_relaxed) == before; },
              {.deadline = deadline, .kind = sched::wait_kind::event});
    }
    return true;
  }
};

}  // namespace amity::sync
