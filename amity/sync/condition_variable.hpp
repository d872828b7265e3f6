// A condition variable that blocks the fiber, never the core; with sync::mutex, or with any lock.
//
//   std::unique_lock lock(m);
//   changed.wait(lock, [&] { return !queue.empty(); });
//
// May wake without cause, as every condition variable. notify_* with nobody waiting is one load. Unlike std's, it must
// live until every wait has returned.
#pragma once

#include <atomic>
#include <cstdint>

#include "amity/sync/parking.hpp"

namespace amity::sync {

class condition_variable {
 public:
  condition_variable() noexcept = default;
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;

  template <class Lock>
  void wait(Lock& lock) noexcept {
    // Relaxed, both: whoever changes what we wait for does so under the lock, after this.
    waiters_.fetch_add(1, std::memory_order_relaxed);
    const std::uint32_t seen = round_.load(std::memory_order_relaxed);
    lock.unlock();
    park_at(this, [&] { return round_.load(std::memory_order_relaxed) == seen; });  // pairs with advance
    waiters_.fetch_sub(1, std::memory_order_relaxed);
    lock.lock();
  }
  template <class Lock, class Predicate>
  void wait(Lock& lock, Predicate done) noexcept {
    while (!done()) wait(lock);
  }

  void notify_one() noexcept {
    if (advance()) unpark_some(this, 1);
  }
  void notify_all() noexcept {
    if (advance()) unpark_all(this);
  }

 private:
  // A waiter that is between unlock and queue sees the new round and does not park. The queue's lock orders the two.
  bool advance() noexcept {
    if (waiters_.load(std::memory_order_relaxed) == 0) return false;
    round_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  std::atomic<std::uint32_t> round_{0};
  std::atomic<std::uint32_t> waiters_{0};
};

}  // namespace amity::sync
