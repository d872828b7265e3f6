// A recursive mutex of eight bytes whose owner is whatever the caller says: a fiber, or an OpenMP task, which may be
// run by several threads one after the other.
//
//   sync::nest_mutex m;
//   m.lock(my_task);  m.lock(my_task);  m.unlock();  m.unlock();
//
// Zeroed memory is a free one. Owners are addresses below 2^48, multiples of 8, not null.
#pragma once

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/timer.hpp"

namespace amity::sync {

class nest_mutex {
 public:
  nest_mutex() noexcept = default;
  nest_mutex(const nest_mutex&) = delete;
  nest_mutex& operator=(const nest_mutex&) = delete;

  // The new depth, 1 if the caller did not hold it before.
  int lock(const void* owner) noexcept {
    const int depth = try_lock(owner);
    return depth != 0 ? depth : lock_slow(owner, sched::never);
  }
  // As lock, or 0 if another owner holds it until `deadline`.
  int try_lock_until(const void* owner, sched::instant deadline) noexcept {
    const int depth = try_lock(owner);
    return depth != 0 ? depth : lock_slow(owner, deadline);
  }
  // As lock, or 0 if another owner holds it.
  int try_lock(const void* owner) noexcept {
    std::uint64_t now = 0;
    if (word_.compare_exchange_strong(now, held_by(owner), std::memory_order_acquire,  // pairs with unlock
                                      std::memory_order_relaxed)) [[likely]]
      return 1;
    return (now & owner_mask) == (held_by(owner) & owner_mask) ? deepen() : 0;
  }
  // The depth that is left. Requires: the caller's owner holds it.
  int unlock() noexcept {
    std::uint64_t now = word_.load(std::memory_order_relaxed);
    if (depth_of(now) == 1 && (now & waiters) == 0 &&
        word_.compare_exchange_strong(now, 0, std::memory_order_release,  // pairs with try_lock, lock_slow
                                      std::memory_order_relaxed)) [[likely]]
      return 0;
    return unlock_slow();
  }
  [[nodiscard]] bool is_locked() const noexcept { return word_.load(std::memory_order_relaxed) != 0; }

 private:
  // 0: the deadline came first.
  AMITY_API int lock_slow(const void* owner, sched::instant deadline) noexcept;
  AMITY_API int unlock_slow() noexcept;
  AMITY_API int deepen() noexcept;

  // | owner / 8: 45 bits | depth: 18 bits | somebody waits: 1 bit |. 0: free.
  static constexpr std::uint64_t waiters = 1;
  static constexpr int depth_shift = 1, owner_shift = 19;
  static constexpr std::uint64_t one_level = std::uint64_t{1} << depth_shift;
  static constexpr std::uint64_t owner_mask = ~std::uint64_t{0} << owner_shift;
  static constexpr int deepest = (1 << (owner_shift - depth_shift)) - 1;
  [[nodiscard]] static std::uint64_t held_by(const void* owner) noexcept {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(owner)) / 8 << owner_shift | one_level;
  }
  [[nodiscard]] static int depth_of(std::uint64_t word) noexcept {
    return static_cast<int>((word & ~owner_mask) >> depth_shift);
  }

  std::atomic<std::uint64_t> word_{0};
};

static_assert(sizeof(nest_mutex) == 8);

}  // namespace amity::sync
