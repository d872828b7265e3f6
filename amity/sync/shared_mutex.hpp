#pragma once

/// A mutex that several readers, or one writer, may hold; waiting blocks the fiber, never the core. As
/// std::shared_timed_mutex, and not recursive.
///
///     sync::shared_mutex m;
///     { std::shared_lock reading(m); ... }        // beside other readers
///     { std::lock_guard writing(m); ... }         // alone
///     { sync::upgrade_lock maybe(m); ... }        // beside readers, and may become the writer (upgrade_lock.hpp)
///
/// Fair: as soon as a thread waits, newcomers queue up, and the mutex is passed on in the order of arrival; readers
/// that stand together get it at once. So neither readers nor writers starve. If no thread waits, lock and unlock are
/// one atomic operation each.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/loop/timer.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::sync {

/// As std::shared_timed_mutex, with Boost's upgrades: a reader that may become the writer without letting go, and
/// before all that wait. There is one such reader at a time, beside others.
class shared_mutex {
 public:
  shared_mutex() noexcept = default;
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;

  /// Memory ordering: acquires what all earlier holders released that excluded the caller.
  void lock() noexcept {
    if (!try_lock()) [[unlikely]]
      lock_slow(writes, sched::never);
  }
  /// Never waits. False: a thread holds it, or waits for it.
  [[nodiscard]] bool try_lock() noexcept { return exchange(0, writes); }
  /// False: it could not be locked for that long.
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& wait) noexcept {
    return try_lock() || lock_slow(writes, sched::instant_after(wait));
  }
  /// False: it could not be locked until that time.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) noexcept {
    return try_lock() ||
           sched::wait_by_clock(time, [this](sched::instant deadline) { return lock_slow(writes, deadline); });
  }
  /// Requires: the caller holds it alone.
  void unlock() noexcept {
    std::uint32_t now = writes;
    if (!word_.compare_exchange_strong(now, 0, std::memory_order_release,  // pairs with exchange, try_add
                                       std::memory_order_relaxed)) [[unlikely]]
      unlock_slow(writes);
  }

  /// Waits while a writer holds it, or others wait.
  void lock_shared() noexcept {
    if (!try_lock_shared()) [[unlikely]]
      lock_slow(reader, sched::never);
  }
  /// Never waits. False: a writer holds it, or a thread waits for it.
  [[nodiscard]] bool try_lock_shared() noexcept { return try_add(reader, writes | queued); }
  /// False: it could not be locked for that long.
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& wait) noexcept {
    return try_lock_shared() || lock_slow(reader, sched::instant_after(wait));
  }
  /// False: it could not be locked until that time.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& time) noexcept {
    return try_lock_shared() ||
           sched::wait_by_clock(time, [this](sched::instant deadline) { return lock_slow(reader, deadline); });
  }
  /// Requires: the caller holds it as a reader.
  void unlock_shared() noexcept { give_up(reader); }

  /// Waits while a writer or another upgrader holds it, or others wait. Then the caller reads.
  void lock_upgrade() noexcept {
    if (!try_lock_upgrade()) [[unlikely]]
      lock_slow(upgrader, sched::never);
  }
  /// Never waits. False: a writer or another upgrader holds it, or a thread waits for it.
  [[nodiscard]] bool try_lock_upgrade() noexcept { return try_add(upgrader, writes | queued | upgrades); }
  /// False: it could not be locked for that long.
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_upgrade_for(const std::chrono::duration<Rep, Period>& wait) noexcept {
    return try_lock_upgrade() || lock_slow(upgrader, sched::instant_after(wait));
  }
  /// False: it could not be locked until that time.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_upgrade_until(const std::chrono::time_point<Clock, Duration>& time) noexcept {
    return try_lock_upgrade() ||
           sched::wait_by_clock(time, [this](sched::instant deadline) { return lock_slow(upgrader, deadline); });
  }
  /// Requires, here and below: the caller holds it as the upgrader.
  void unlock_upgrade() noexcept { give_up(upgrader); }

  /// Waits until the other readers have gone, and is the writer then. No reader comes in meanwhile, and no writer
  /// before.
  void unlock_upgrade_and_lock() noexcept {
    if (!promote()) [[unlikely]]
      lock_slow(promotion, sched::never);
  }
  /// Never waits. False: there are other readers, and the caller is the upgrader still.
  [[nodiscard]] bool try_unlock_upgrade_and_lock() noexcept { return promote() || lock_slow(promotion, at_once); }
  /// False: there were others for that long, and the caller is the upgrader still.
  template <class Rep, class Period>
  [[nodiscard]] bool try_unlock_upgrade_and_lock_for(const std::chrono::duration<Rep, Period>& wait) noexcept {
    return promote() || lock_slow(promotion, sched::instant_after(wait));
  }
  /// False: there were others until that time, and the caller is the upgrader still.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_unlock_upgrade_and_lock_until(const std::chrono::time_point<Clock, Duration>& time) noexcept {
    return promote() ||
           sched::wait_by_clock(time, [this](sched::instant deadline) { return lock_slow(promotion, deadline); });
  }
  /// From the upgrader to one reader among others.
  void unlock_upgrade_and_lock_shared() noexcept { give_up(upgrades); }

  /// From the writer to the upgrader, without letting go. Never waits.
  void unlock_and_lock_upgrade() noexcept { give_up(promotion); }
  /// From the writer to a reader, without letting go. Never waits.
  void unlock_and_lock_shared() noexcept { give_up(writes - reader); }
  /// From the only reader to the writer. Never waits. False: there are others, or a thread waits; then the caller is a
  /// reader still. (Two readers that waited for each other to go would wait for ever: a fiber that may have to wait for
  /// this is an upgrader from the beginning.)
  [[nodiscard]] bool try_unlock_shared_and_lock() noexcept { return exchange(reader, writes); }
  /// From a reader to the upgrader. Never waits. False: there is one, or a thread waits; the caller is a reader still.
  [[nodiscard]] bool try_unlock_shared_and_lock_upgrade() noexcept { return try_add(upgrades, queued | upgrades); }

 private:
  struct waiter;
  struct wake_list;

  AMITY_API bool lock_slow(std::uint32_t share, sched::instant deadline) noexcept;
  AMITY_API void unlock_slow(std::uint32_t share) noexcept;
  static bool may_have(std::uint32_t share, std::uint32_t word) noexcept;
  void pass_on(wake_list& chosen) noexcept;
  static void wake(waiter* first) noexcept;

  // | readers: 29 bits | one of them is the upgrader | somebody is in the queue | a writer holds it |. While the queue
  // has somebody, the word is written under `lock_` only.
  static constexpr std::uint32_t writes = 1, queued = 2, upgrades = 4, reader = 8;
  // What is added when one gets it, and subtracted when it is given up. A promotion makes the upgrader the writer.
  static constexpr std::uint32_t upgrader = reader | upgrades, promotion = writes - upgrader;
  static constexpr sched::instant at_once = 0;

  // The fast paths. Acquire: pairs with give_up, and unlock.
  bool exchange(std::uint32_t from, std::uint32_t to) noexcept {
    return word_.compare_exchange_strong(from, to, std::memory_order_acquire, std::memory_order_relaxed);
  }
  bool promote() noexcept { return exchange(upgrader, writes); }
  bool try_add(std::uint32_t share, std::uint32_t unless) noexcept {
    std::uint32_t now = word_.load(std::memory_order_relaxed);
    while ((now & unless) == 0)
      if (word_.compare_exchange_weak(now, now + share, std::memory_order_acquire, std::memory_order_relaxed))
        return true;
    return false;
  }
  void give_up(std::uint32_t share) noexcept {
    std::uint32_t now = word_.load(std::memory_order_relaxed);
    while ((now & queued) == 0)
      if (word_.compare_exchange_weak(now, now - share, std::memory_order_release,  // pairs with exchange, try_add
                                      std::memory_order_relaxed))
        return;
    unlock_slow(share);
  }

  std::atomic<std::uint32_t> word_{0};
  sys::spin_lock lock_;  // guards the queue
  waiter* first_ = nullptr;
  waiter* last_ = nullptr;
};

/// std's name for one with deadlines.
using shared_timed_mutex = shared_mutex;
/// Boost's name for one with upgrades.
using upgrade_mutex = shared_mutex;

}  // namespace amity::sync
