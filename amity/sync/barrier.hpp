#pragma once

/// A barrier for a fixed number of participants, used again and again, as std::barrier; waiting blocks the fiber, never
/// the core.
///
///     sync::barrier all(n);
///     all.arrive_and_wait();
///     sync::barrier counted(n, [&]() noexcept { ++phase; });        // run by the last one of each phase

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "amity/sync/misuse.hpp"
#include "amity/sync/parking.hpp"

namespace amity::sync {

/// What the last to arrive runs if it was given nothing else.
struct no_completion {
  /// Does nothing.
  void operator()() const noexcept {}
};

/// As std::barrier.
template <class Completion = no_completion>
class barrier {
 public:
  /// The phase that one has arrived in.
  using arrival_token = std::uint32_t;

  /// For `expected` participants; with 0, no thread may arrive. `completion()` is called at the end of each phase by
  /// the last to arrive, before any thread goes on.
  explicit constexpr barrier(std::ptrdiff_t expected, Completion completion = {}) noexcept
      : expected_(expected), left_(expected), completion_(std::move(completion)) {
    detail::expect_within("barrier", expected, 0, max());
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  /// Participants that there may be.
  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept { return std::numeric_limits<std::ptrdiff_t>::max(); }

  /// Arrives for `update` participants, and does not wait. Requires: more than 0, and no more than have not arrived
  /// yet.
  [[nodiscard]] arrival_token arrive(std::ptrdiff_t update = 1) noexcept {
    // Relaxed: the phase can't end before we arrive.
    const arrival_token phase = phase_.load(std::memory_order_relaxed);
    // acq_rel: the last one passes on what all did.
    std::ptrdiff_t const left = left_.fetch_sub(update, std::memory_order_acq_rel);
    detail::expect_within("barrier::arrive", update, 1, left);
    if (left == update) complete(phase);
    return phase;
  }
  /// Waits until that phase is over.
  void wait(arrival_token phase) const noexcept {
    while (phase_.load(std::memory_order_acquire) == phase)  // pairs with complete
      park_at(this, [&] { return phase_.load(std::memory_order_relaxed) == phase; },
              {.kind = sched::wait_kind::barrier});
  }
  /// Arrives, and waits for the others.
  void arrive_and_wait() noexcept { wait(arrive()); }
  /// Arrives, and takes part no more.
  void arrive_and_drop() noexcept {
    expected_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: the arrival below releases it to `complete`
    static_cast<void>(arrive());
  }

 private:
  void complete(arrival_token phase) noexcept {
    completion_();
    left_.store(expected_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    phase_.store(phase + 1, std::memory_order_release);  // pairs with wait; nobody arrives anew before it
    unpark_all(this);
  }

  std::atomic<std::ptrdiff_t> expected_;
  std::atomic<std::ptrdiff_t> left_;
  std::atomic<std::uint32_t> phase_{0};
  [[no_unique_address]] Completion completion_;
};

}  // namespace amity::sync
