#pragma once

/// Counting semaphores, as std::counting_semaphore; waiting blocks the fiber, never the core.
///
///     sync::semaphore slots(4);
///     slots.acquire(); ... slots.release();
///     if (slots.try_acquire_for(5ms)) ...

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "amity/sync/misuse.hpp"
#include "amity/sync/parking.hpp"

namespace amity::sync {

/// A number of slots. A fiber that has acquired one may destroy the semaphore, though the release may not have
/// returned.
class semaphore {
 public:
  /// With `free` slots at first.
  explicit constexpr semaphore(std::ptrdiff_t free) noexcept : word_(slots(free)) {
    detail::expect_within("semaphore", free, 0, max());
  }
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;

  /// The largest number of slots.
  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept {
    return static_cast<std::ptrdiff_t>(std::numeric_limits<std::uint64_t>::max() / one_slot);
  }

  /// Waits for a slot and takes it.
  void acquire() noexcept { static_cast<void>(acquire_by(sched::never)); }

  /// Never waits. False: there is none.
  [[nodiscard]] bool try_acquire() noexcept {
    std::uint64_t now = word_.load(std::memory_order_relaxed);
    while (now >= one_slot)
      if (word_.compare_exchange_weak(now, now - one_slot, std::memory_order_acquire,  // pairs with release
                                      std::memory_order_relaxed))
        return true;
    return false;
  }
  /// False: there was none for that long.
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(const std::chrono::duration<Rep, Period>& wait) noexcept {
    return try_acquire() || (wait > wait.zero() && acquire_by(sched::instant_after(wait)));
  }
  /// False: there was none until that time.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_acquire_until(const std::chrono::time_point<Clock, Duration>& time) noexcept {
    return try_acquire() ||
           sched::wait_by_clock(time, [this](sched::instant deadline) { return acquire_by(deadline); });
  }

  /// Gives `update` slots back. Never waits; by any thread. Memory ordering: what happened before happens before
  /// the return of the acquire that gets the slot.
  void release(std::ptrdiff_t update = 1) noexcept {
    // Pairs with try_acquire. A fiber that gets the slot may destroy this at once: from here on only the address is
    // used.
    const std::uint64_t before = word_.fetch_add(slots(update), std::memory_order_release);
    detail::expect_within("semaphore::release", update, 0, max() - static_cast<std::ptrdiff_t>(before / one_slot));
    if (before % one_slot != 0) unpark_some(this, static_cast<std::size_t>(update));
  }

 private:
  static constexpr unsigned waiter_bits = 24;
  static constexpr std::uint64_t one_waiter = 1, one_slot = std::uint64_t{1} << waiter_bits;
  [[nodiscard]] static constexpr std::uint64_t slots(std::ptrdiff_t n) noexcept {
    return static_cast<std::uint64_t>(n) * one_slot;
  }

  // False: the deadline came first. A fiber that was woken tries once more, so that no release is lost with it.
  bool acquire_by(sched::instant deadline) noexcept {
    while (!try_acquire()) {
      if (deadline != sched::never && sched::now() >= deadline) return false;
      // Both are changes of one word. If the release is the later one, it sees that somebody waits, and looks into the
      // queue; if it is the earlier one, its slot is seen before we are in there. So relaxed will do.
      word_.fetch_add(one_waiter, std::memory_order_relaxed);
      park_at(this, [this] { return word_.load(std::memory_order_relaxed) < one_slot; },
              {.deadline = deadline, .kind = sched::wait_kind::semaphore});
      word_.fetch_sub(one_waiter, std::memory_order_relaxed);
    }
    return true;
  }

  std::atomic<std::uint64_t> word_;  ///< free slots, and in the low bits the threads that wait or are about to
};

/// std's name for it. As many may be released as `semaphore` has room for (2^40 - 1), whatever `LeastMax`.
template <std::ptrdiff_t LeastMax = semaphore::max()>
class counting_semaphore : public semaphore {
  static_assert(LeastMax >= 0);

 public:
  /// As semaphore.
  using semaphore::semaphore;
  /// The largest number of slots: at least LeastMax, as far as there is room.
  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept { return std::min(LeastMax, semaphore::max()); }
};
/// std's name for one with one slot.
using binary_semaphore = counting_semaphore<1>;

}  // namespace amity::sync
