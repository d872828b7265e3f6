// A recursive mutex of eight bytes whose owner is whatever the caller says: a fiber, or an OpenMP task, which may be
// run by several threads one after the other.
//
//   sync::nest_mutex m;
//   m.lock(my_task);  m.lock(my_task);  m.unlock();  m.unlock();
//
// Zeroed memory is a free one. Owners are addresses below 2^48, multiples of 8, not null.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/loop/timer.hpp"

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
    std::uint64_t now = word_.load(std::memory_order_relaxed);
    if (now == 0 && word_.compare_exchange_strong(now, held_by(owner), std::memory_order_acquire,  // pairs with unlock
                                                  std::memory_order_relaxed)) [[likely]]
      return 1;
    if ((now & owner_mask) != (held_by(owner) & owner_mask)) return 0;
    const int depth = depth_of(now) + 1;
    if (depth > static_cast<int>(deepest)) [[unlikely]]
      too_deep();
    set_depth(static_cast<std::uint32_t>(now), depth);
    return depth;
  }
  // The depth that is left. Requires: the caller's owner holds it.
  int unlock() noexcept {
    const std::uint32_t low = __atomic_load_n(low_half_of_word(), __ATOMIC_RELAXED);  // the holder's own
    const int depth = depth_of(low) - 1;
    if (depth > 0) {
      set_depth(low, depth);
      return depth;
    }
    std::uint64_t expected = low | std::uint64_t{high_half()} << 32;
    if ((expected & waiters) != 0 ||
        !word_.compare_exchange_strong(expected, 0, std::memory_order_release,  // pairs with try_lock, lock_slow
                                       std::memory_order_relaxed)) [[unlikely]]
      unlock_slow();
    return 0;
  }
  [[nodiscard]] bool is_locked() const noexcept { return word_.load(std::memory_order_relaxed) != 0; }

 private:
  // 0: the deadline came first.
  AMITY_API int lock_slow(const void* owner, sched::instant deadline) noexcept;
  AMITY_API void unlock_slow() noexcept;
  [[noreturn]] AMITY_API static void too_deep() noexcept;

  // | somebody waits: 1 bit | owner / 8: 45 bits | depth: 18 bits |. 0: free.
  static constexpr int owner_shift = 18;
  static constexpr std::uint32_t deepest = (1u << owner_shift) - 1;
  static constexpr std::uint64_t waiters = std::uint64_t{1} << 63;
  static constexpr std::uint64_t owner_mask = (waiters - 1) & ~std::uint64_t{deepest};
  [[nodiscard]] static std::uint64_t held_by(const void* owner) noexcept {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(owner)) / 8 << owner_shift | 1;
  }
  [[nodiscard]] static int depth_of(std::uint64_t word) noexcept { return static_cast<int>(word & deepest); }

  // Others write the waiters' bit at most, which is in the high half: the low one is the holder's own, and needs no
  // read-modify-write. (Processors keep accesses of two sizes to a word coherent. Only a load of all of it soon after
  // a store to the half would have to wait for that store.)
  static_assert(std::endian::native == std::endian::little);
  using half [[gnu::may_alias]] = std::uint32_t;
  [[nodiscard]] half* low_half_of_word() noexcept { return reinterpret_cast<half*>(&word_); }
  [[nodiscard]] std::uint32_t high_half() noexcept {
    return __atomic_load_n(low_half_of_word() + 1, __ATOMIC_RELAXED);  // what matters of it is compared afterwards
  }
  void set_depth(std::uint32_t low, int depth) noexcept {
    __atomic_store_n(low_half_of_word(), (low & ~deepest) | static_cast<std::uint32_t>(depth),
                     __ATOMIC_RELAXED);  // it stays the holder's: nobody learns anything by it
  }

  std::atomic<std::uint64_t> word_{0};
};

static_assert(sizeof(nest_mutex) == 8);

}  // namespace amity::sync
