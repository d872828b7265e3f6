#pragma once

/// Operations that a site has done without its mailbox, and what others must be
/// able to hear of them: what they were taken for.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "amity/coll/intention.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::collectives::detail {

/// The last run of operations, one after the other, that were taken for the
/// same. Earlier runs are in the mailbox.
class fast_runs {
 public:
  struct run {
    std::uint64_t first = 1, last = 0;
    intention what;
    [[nodiscard]] bool has(std::uint64_t operation) const noexcept { return first <= operation && operation <= last; }
  };
  /// Counts one more. True: it begins another run, and `before` is for the
  /// mailbox.
  [[nodiscard]] bool add(std::uint64_t operation, const intention& what, run& before) noexcept {
    lock_.lock();
    bool const goes_on = now_.what == what && now_.last + 1 == operation;
    if (goes_on) {
      now_.last = operation;
    } else {
      before = now_;
      now_ = {operation, operation, what};
    }
    lock_.unlock();
    return !goes_on && before.last != 0;
  }
  [[nodiscard]] run last() const noexcept {
    lock_.lock();
    run const r = now_;
    lock_.unlock();
    return r;
  }

  // --- others have said something of operations that have not begun here; the
  // mailbox has it, and changes this under its lock
  void count_early(std::uint64_t operation) noexcept {
    early_[operation % kinds].fetch_add(1, std::memory_order_release);  // pairs with is_early
    ++all_early_;
  }
  void uncount_early(std::uint64_t operation) noexcept {
    early_[operation % kinds].fetch_sub(1, std::memory_order_relaxed);
    --all_early_;
  }
  /// As `operation` ends: it is time to look for those that were done meanwhile. Where others are far ahead, each of
  /// their operations is one, and to look at all of them at each end would take longer the further ahead they are.
  [[nodiscard]] bool is_time_to_look(std::uint64_t operation) const noexcept {
    constexpr int few = 8;
    return all_early_ != 0 && (all_early_ <= few || operation % kinds == 0);
  }
  /// By anybody: of this operation, or of another one with the same remainder.
  [[nodiscard]] bool is_early(std::uint64_t operation) const noexcept {
    return early_[operation % kinds].load(std::memory_order_acquire) != 0;  // pairs with count_early
  }

 private:
  static constexpr std::size_t kinds = 64;
  std::atomic<std::uint32_t> early_[kinds] = {};
  int all_early_ = 0;
  mutable sys::spin_lock lock_;
  run now_;
};

}  // namespace amity::collectives::detail
