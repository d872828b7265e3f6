#pragma once

/// A mutex that several readers, or one writer, may hold; waiting blocks the fiber, never the core. As
/// std::shared_timed_mutex, and not recursive.
///
///     sync::shared_mutex m;
///     { std::shared_lock reading(m); ... }        // beside other readers
///     { std::lock_guard writing(m); ... }         // alone
///
/// Fair: as soon as somebody waits, newcomers queue up, and the mutex is passed on in the order of arrival, to readers
/// that stand together at once. So neither readers nor writers starve. Nobody waits: one atomic operation each.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/spin_lock.hpp"
#include "amity/sched/timer.hpp"

namespace amity::sync {

/// As std::shared_timed_mutex.
class shared_mutex {
 public:
  shared_mutex() noexcept = default;
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;

  /// Memory ordering: acquires what all before released who excluded the caller.
  void lock() noexcept {
    if (!try_lock()) [[unlikely]]
      lock_slow(writes, sched::never);
  }
  /// Never waits. False: somebody holds it, or waits for it.
  [[nodiscard]] bool try_lock() noexcept {
    std::uint32_t now = 0;
    return word_.compare_exchange_strong(now, writes, std::memory_order_acquire,  // pairs with unlock, unlock_shared
                                         std::memory_order_relaxed);
  }
  /// False: it was not to be had for that long.
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& wait) noexcept {
    return try_lock() || lock_slow(writes, sched::instant_after(wait));
  }
  /// False: it was not to be had until that time.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) noexcept {
    return try_lock() ||
           sched::wait_by_clock(time, [this](sched::instant deadline) { return lock_slow(writes, deadline); });
  }
  /// Requires: the caller holds it alone.
  void unlock() noexcept {
    std::uint32_t now = writes;
    if (!word_.compare_exchange_strong(now, 0, std::memory_order_release,  // pairs with try_lock, try_lock_shared
                                       std::memory_order_relaxed)) [[unlikely]]
      unlock_slow(writes);
  }

  /// Waits while a writer holds it, or others wait.
  void lock_shared() noexcept {
    if (!try_lock_shared()) [[unlikely]]
      lock_slow(reader, sched::never);
  }
  /// Never waits. False: a writer holds it, or somebody waits for it.
  [[nodiscard]] bool try_lock_shared() noexcept {
    std::uint32_t now = word_.load(std::memory_order_relaxed);
    while ((now & (writes | queued)) == 0)
      if (word_.compare_exchange_weak(now, now + reader, std::memory_order_acquire,  // pairs with unlock
                                      std::memory_order_relaxed))
        return true;
    return false;
  }
  /// False: it was not to be had for that long.
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& wait) noexcept {
    return try_lock_shared() || lock_slow(reader, sched::instant_after(wait));
  }
  /// False: it was not to be had until that time.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& time) noexcept {
    return try_lock_shared() ||
           sched::wait_by_clock(time, [this](sched::instant deadline) { return lock_slow(reader, deadline); });
  }
  /// Requires: the caller holds it as a reader.
  void unlock_shared() noexcept {
    std::uint32_t now = word_.load(std::memory_order_relaxed);
    while ((now & queued) == 0)
      if (word_.compare_exchange_weak(now, now - reader, std::memory_order_release,  // pairs with try_lock
                                      std::memory_order_relaxed))
        return;
    unlock_slow(reader);
  }

 private:
  struct waiter;
  struct wake_list;

  AMITY_API bool lock_slow(std::uint32_t share, sched::instant deadline) noexcept;
  AMITY_API void unlock_slow(std::uint32_t share) noexcept;
  void pass_on(wake_list& chosen) noexcept;
  static void wake(waiter* first) noexcept;

  // | readers: 30 bits | somebody is in the queue | a writer holds it |. While the queue has somebody, the word is
  // written under `lock_` only.
  static constexpr std::uint32_t writes = 1, queued = 2, reader = 4;
  std::atomic<std::uint32_t> word_{0};
  sched::spin_lock lock_;  // guards the queue
  waiter* first_ = nullptr;
  waiter* last_ = nullptr;
};

/// std's name for one with deadlines.
using shared_timed_mutex = shared_mutex;

}  // namespace amity::sync
