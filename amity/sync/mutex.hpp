#pragma once

/// A mutex of four bytes that blocks the fiber, never the core. Uncontended, lock and unlock are one atomic operation
/// each.
///
///     sync::mutex m;
///     std::lock_guard guard(m);
///
/// try_lock_for and try_lock_until as std::timed_mutex, which is amity::timed_mutex here: the same class.
///
/// Zeroed memory is a free mutex, and destroying one does nothing. Not recursive. The fiber that unlocks need not be
/// the one that locked.
///
/// Barging is allowed, because a free mutex that is handed to a sleeping thread is idle until that thread wakes up. A
/// waiter that was overtaken a few times is handed the mutex, so no thread starves.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/loop/timer.hpp"

namespace amity::sync {

/// As std::timed_mutex.
class mutex {
 public:
  mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  /// Memory ordering: acquires what the last unlock released.
  void lock() noexcept {
    if (!try_lock()) [[unlikely]]
      lock_slow(sched::never);
  }
  /// Never waits. False: it is held.
  [[nodiscard]] bool try_lock() noexcept {
    std::uint32_t expected = free;
    return word_.compare_exchange_strong(expected, held, std::memory_order_acquire,  // pairs with unlock
                                         std::memory_order_relaxed);
  }
  /// False: it was held for that long.
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& wait) noexcept {
    return try_lock() || (wait > wait.zero() && lock_slow(sched::instant_after(wait)));
  }
  /// False: it was held until that time.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) noexcept {
    return try_lock() || sched::wait_by_clock(time, [this](sched::instant deadline) { return lock_slow(deadline); });
  }
  /// Requires: it is locked.
  void unlock() noexcept {
    if (!unlock_unless_marked()) [[unlikely]]
      unlock_marked();
  }

  /// unlock() in two halves, for a runtime that has to report each unlock before it happens, and must not pay for the
  /// question if nobody listens. Marked by its holder, the mutex is given up by the second half only.
  void mark() noexcept { word_.store(contended, std::memory_order_relaxed); }  // orders nothing: it was ours before
  /// The first half. False: it is marked, or a thread waits, and it is still held.
  [[nodiscard]] bool unlock_unless_marked() noexcept {
    // A subtraction, because on x86 it is the cheapest of the operations that would do.
    return word_.fetch_sub(1, std::memory_order_release) == held;  // pairs with try_lock, lock_slow
  }
  /// The second half. Requires: the first one has failed.
  void unlock_marked() noexcept { unlock_slow(); }

  /// Whether it is held just now; for diagnostics.
  [[nodiscard]] bool is_locked() const noexcept { return word_.load(std::memory_order_relaxed) != free; }

 private:
  // False: the deadline came first.
  AMITY_API bool lock_slow(sched::instant deadline) noexcept;
  AMITY_API void unlock_slow() noexcept;

  // free -> held -> free                       the fast path
  // held -> contended                          by one who is about to park, or by the holder's mark
  // contended -> held                          by the holder, on its way to the queue's lock; a waiter that comes then
  //                                            makes it contended again, and looks at it once more under that lock
  // held, contended -> free, held, contended   by the holder, under the queue's lock
  // free -> contended                          by one who has been parked: others may still wait
  static constexpr std::uint32_t free = 0, held = 1, contended = 2;
  std::atomic<std::uint32_t> word_{free};
};

static_assert(sizeof(mutex) == 4);

/// std's name for one with deadlines.
using timed_mutex = mutex;

/// HPX's name for a lock that is held for moments. The same class: a fiber that finds it held spins for some
/// microseconds, if no other fiber wants the core, and then waits; so no fiber spins for long against a holder that
/// was preempted.
using spinlock = mutex;

}  // namespace amity::sync
