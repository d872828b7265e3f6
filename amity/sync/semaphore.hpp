#pragma once

/// Counting semaphores, as std::counting_semaphore; waiting blocks the fiber, never the core.
///
///     sync::semaphore slots(4);
///     slots.acquire(); ... slots.release();
///     if (slots.try_acquire_for(5ms)) ...

#include <atomic>
#include <cstddef>
#include <limits>

#include "amity/base/assert.hpp"
#include "amity/sync/parking.hpp"

namespace amity::sync {

/// A number of slots.
class semaphore {
 public:
  /// With `free` slots at first.
  explicit semaphore(std::ptrdiff_t free) noexcept : free_(free) { AMITY_ASSERT(free >= 0); }
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;

  /// Slots that there may be.
  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept { return std::numeric_limits<std::ptrdiff_t>::max(); }

  /// Waits for a slot and takes it.
  void acquire() noexcept { static_cast<void>(acquire_by(sched::never)); }

  /// Never waits. False: there is none.
  [[nodiscard]] bool try_acquire() noexcept {
    std::ptrdiff_t free = free_.load(std::memory_order_relaxed);
    while (free > 0)
      if (free_.compare_exchange_weak(free, free - 1, std::memory_order_acquire,  // pairs with release
                                      std::memory_order_relaxed))
        return true;
    return false;
  }
  /// False: there was none for that long.
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(const std::chrono::duration<Rep, Period>& wait) noexcept {
    return try_acquire() || acquire_by(sched::instant_after(wait));
  }
  /// False: there was none until that time.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_acquire_until(const std::chrono::time_point<Clock, Duration>& time) noexcept {
    return try_acquire() ||
           sched::wait_by_clock(time, [this](sched::instant deadline) { return acquire_by(deadline); });
  }

  /// Gives `update` slots back. Never waits; by anybody. Memory ordering: what happened before happens before the
  /// return of the acquire that gets the slot.
  void release(std::ptrdiff_t update = 1) noexcept {
    AMITY_ASSERT(update >= 0);
    free_.fetch_add(update, std::memory_order_seq_cst);  // pairs with try_acquire and the look in acquire_by
    if (waiters_.load(std::memory_order_seq_cst) != 0) unpark_some(this, static_cast<std::size_t>(update));
  }

 private:
  // False: the deadline came first. Who was woken tries once more, so that no release is lost with it.
  bool acquire_by(sched::instant deadline) noexcept {
    while (!try_acquire()) {
      if (deadline != sched::never && sched::now() >= deadline) return false;
      // Dekker with release: we say that we wait, then look; it gives back, then looks for who waits. seq_cst, all
      // four.
      waiters_.fetch_add(1, std::memory_order_seq_cst);
      park_at(this, [this] { return free_.load(std::memory_order_seq_cst) == 0; },
              {.deadline = deadline, .kind = sched::wait_kind::semaphore});
      waiters_.fetch_sub(1, std::memory_order_relaxed);
    }
    return true;
  }

  std::atomic<std::ptrdiff_t> free_;
  std::atomic<std::ptrdiff_t> waiters_{0};
};

/// std's name for it. Any number may be released, whatever `LeastMax`.
template <std::ptrdiff_t LeastMax = std::numeric_limits<std::ptrdiff_t>::max()>
class counting_semaphore : public semaphore {
 public:
  /// As semaphore.
  using semaphore::semaphore;
  /// At least so many slots there may be.
  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept { return LeastMax; }
};
/// std's name for one with one slot.
using binary_semaphore = counting_semaphore<1>;

}  // namespace amity::sync
