#pragma once

/// A semaphore for a window that slides: a fiber that is ahead waits until the others are no more than so many steps
/// behind. As HPX's sliding_semaphore; waiting blocks the fiber, never the core.
///
///     sync::sliding_semaphore window(10);
///     for (int step = 0; step < n; ++step) {
///       futures.push_back(begin(step).then([&, step](auto f) { window.signal(step); return f.get(); }));
///       window.wait(step);           // no more than 10 steps ahead of the last that was signalled
///     }

#include <atomic>
#include <cstdint>

#include "amity/sync/parking.hpp"

namespace amity::sync {

/// A lower limit that only rises, and how far above it a caller may be.
class sliding_semaphore {
 public:
  /// wait(upper) returns if `upper - max_difference` is `lower_limit` at most.
  explicit constexpr sliding_semaphore(std::int64_t max_difference, std::int64_t lower_limit = 0) noexcept
      : difference_(max_difference), lower_(lower_limit) {}
  sliding_semaphore(const sliding_semaphore&) = delete;
  sliding_semaphore& operator=(const sliding_semaphore&) = delete;

  /// Another window; the lower limit may be set back. Never waits; those that wait look again.
  void set_max_difference(std::int64_t max_difference, std::int64_t lower_limit = 0) noexcept {
    difference_.store(max_difference, std::memory_order_relaxed);  // ordered by the next
    lower_.store(lower_limit, std::memory_order_release);          // pairs with try_wait
    unpark_all(this);
  }

  /// Waits until `upper` is within the window. Memory ordering: acquires what the signals released that made it so.
  void wait(std::int64_t upper = 1) noexcept { static_cast<void>(wait_by(upper, sched::never)); }
  /// Never waits. Whether `upper` is within the window.
  [[nodiscard]] bool try_wait(std::int64_t upper = 1) const noexcept {
    const std::int64_t lower = lower_.load(std::memory_order_acquire);  // pairs with signal
    return upper - difference_.load(std::memory_order_relaxed) <= lower;
  }
  /// False: `upper` was not within the window for that long.
  template <class Rep, class Period>
  [[nodiscard]] bool try_wait_for(std::int64_t upper, const std::chrono::duration<Rep, Period>& wait) noexcept {
    return wait_by(upper, sched::instant_after(wait));
  }
  /// False: `upper` was not within the window until that time.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_wait_until(std::int64_t upper, const std::chrono::time_point<Clock, Duration>& time) noexcept {
    return sched::wait_by_clock(time, [&](sched::instant deadline) { return wait_by(upper, deadline); });
  }

  /// The lower limit is `lower` from now on, unless it is higher. Never waits; by any thread.
  void signal(std::int64_t lower) noexcept {
    std::int64_t now = lower_.load(std::memory_order_relaxed);
    do {
      if (now >= lower) return;
      // Pairs with try_wait; acquire, so that what lower signals released is passed on. A fiber that waits may destroy
      // this at once: from here on only the address is used.
    } while (!lower_.compare_exchange_weak(now, lower, std::memory_order_acq_rel, std::memory_order_relaxed));
    unpark_all(this);
  }
  /// Has all that wait look again. Returns the lower limit.
  std::int64_t signal_all() noexcept {
    const std::int64_t lower = lower_.load(std::memory_order_acquire);  // pairs with signal
    unpark_all(this);
    return lower;
  }

 private:
  bool wait_by(std::int64_t upper, sched::instant deadline) noexcept {
    while (!try_wait(upper)) {
      if (deadline != sched::never && sched::now() >= deadline) return false;
      park_at(this, [&] { return !try_wait(upper); }, {.deadline = deadline, .kind = sched::wait_kind::semaphore});
    }
    return true;
  }

  std::atomic<std::int64_t> difference_;
  std::atomic<std::int64_t> lower_;
};

}  // namespace amity::sync
