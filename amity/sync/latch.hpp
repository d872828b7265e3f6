#pragma once

/// A countdown that happens once, as std::latch; waiting blocks the fiber, never the core.
///
///     sync::latch done(n);
///     ... done.count_down();        // n times, by any thread
///     done.wait();                  // may destroy it afterwards, though the last count_down may not have returned

#include <atomic>
#include <cstddef>
#include <limits>

#include "amity/sync/misuse.hpp"
#include "amity/sync/parking.hpp"

namespace amity::sync {

/// As std::latch.
class latch {
 public:
  /// Open after `expected` countdowns; 0: at once.
  explicit constexpr latch(std::ptrdiff_t expected) noexcept : left_(expected) {
    detail::expect_within("latch", expected, 0, max());
  }
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  /// The largest number of countdowns that it may begin with.
  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept { return std::numeric_limits<std::ptrdiff_t>::max(); }

  /// Counts down by `update`, and never waits. Requires: no more than is left.
  void count_down(std::ptrdiff_t update = 1) noexcept {
    // acq_rel: the last one passes on what all did. Pairs with try_wait. After it only the address is used.
    std::ptrdiff_t const left = left_.fetch_sub(update, std::memory_order_acq_rel);
    detail::expect_within("latch::count_down", update, 0, left);
    if (left == update) unpark_all(this);
  }
  /// Expects `update` more countdowns, and never waits. HPX's. Requires: a positive number, and it is not open, or no
  /// thread waits for it or looks at it meanwhile.
  void count_up(std::ptrdiff_t update = 1) noexcept {
    std::ptrdiff_t const left = left_.fetch_add(update, std::memory_order_relaxed);  // whoever counts down passes on
    detail::expect_within("latch::count_up", update, 0, max() - left);
  }
  /// Begins anew with `expected` countdowns. HPX's. Requires: no thread waits for it, counts down or looks
  /// at it meanwhile.
  void reset(std::ptrdiff_t expected) noexcept {
    detail::expect_within("latch::reset", expected, 0, max());
    left_.store(expected, std::memory_order_relaxed);
  }
  /// Whether it is open.
  [[nodiscard]] bool try_wait() const noexcept { return left_.load(std::memory_order_acquire) == 0; }
  /// Waits until it is open.
  void wait() const noexcept {
    while (!try_wait()) park_at(this, [this] { return !try_wait(); }, {.kind = sched::wait_kind::latch});
  }
  /// Counts down, and waits.
  void arrive_and_wait(std::ptrdiff_t update = 1) noexcept {
    count_down(update);
    wait();
  }

 private:
  std::atomic<std::ptrdiff_t> left_;
};

}  // namespace amity::sync
