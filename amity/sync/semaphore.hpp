// A counting semaphore, as std::counting_semaphore; waiting blocks the fiber, never the core.
//
//   sync::semaphore slots(4);
//   slots.acquire(); ... slots.release();
#pragma once

#include <atomic>
#include <cstddef>

#include "amity/base/assert.hpp"
#include "amity/sync/parking.hpp"

namespace amity::sync {

class semaphore {
 public:
  explicit semaphore(std::ptrdiff_t free) noexcept : free_(free) { AMITY_ASSERT(free >= 0); }
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;

  void acquire() noexcept {
    while (!try_acquire()) {
      // Dekker with release: we say that we wait, then look; it gives back, then looks for who waits. seq_cst, all
      // four.
      waiters_.fetch_add(1, std::memory_order_seq_cst);
      park_at(this, [this] { return free_.load(std::memory_order_seq_cst) == 0; });
      waiters_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] bool try_acquire() noexcept {
    std::ptrdiff_t free = free_.load(std::memory_order_relaxed);
    while (free > 0)
      if (free_.compare_exchange_weak(free, free - 1, std::memory_order_acquire,  // pairs with release
                                      std::memory_order_relaxed))
        return true;
    return false;
  }
  void release(std::ptrdiff_t update = 1) noexcept {
    AMITY_ASSERT(update >= 0);
    free_.fetch_add(update, std::memory_order_seq_cst);  // pairs with try_acquire and the look in acquire
    if (waiters_.load(std::memory_order_seq_cst) != 0) unpark_some(this, static_cast<std::size_t>(update));
  }

 private:
  std::atomic<std::ptrdiff_t> free_;
  std::atomic<std::ptrdiff_t> waiters_{0};
};

}  // namespace amity::sync
