#pragma once

/// A queue for each worker, and who comes next: what most policies share.

#include <atomic>
#include <memory>

#include "amity/base/config.hpp"
#include "amity/sched/tasks/internal/task_queue.hpp"
#include "amity/sched/tasks/policy.hpp"

namespace amity::sched::policies {

/// Queues that don't share cache lines.
class queues {
 public:
  explicit queues(int count) : count_(count), all_(new padded[static_cast<std::size_t>(count)]) {}

  [[nodiscard]] task_queue& operator[](int i) noexcept { return all_[static_cast<std::size_t>(i)].queue; }
  [[nodiscard]] int count() const noexcept { return count_; }

  /// The oldest of the first queue after `own` that has one.
  [[nodiscard]] task_ref steal(int own) noexcept {
    for (int i = own + 1; i < own + count_; ++i)
      if (task_ref const t = (*this)[i % count_].oldest()) return t;
    return {};
  }
  [[nodiscard]] task_ref any() noexcept {
    task_ref const t = all_[0].queue.oldest();
    return t ? t : steal(0);
  }

 private:
  struct alignas(base::cache_line) padded {
    task_queue queue;
  };
  int count_;
  std::unique_ptr<padded[]> all_;
};

/// Numbers in turn.
class round_robin {
 public:
  explicit round_robin(int count) noexcept : count_(static_cast<unsigned>(count)) {}
  /// Relaxed: only a number.
  [[nodiscard]] int next() noexcept { return static_cast<int>(turn_.fetch_add(1, std::memory_order_relaxed) % count_); }

 private:
  unsigned count_;
  std::atomic<unsigned> turn_{0};
};

/// Where a task goes: to the worker asked for; else to the one that makes it; else in turn.
[[nodiscard]] inline int near_maker(const placement& p, round_robin& turn) noexcept {
  if (p.owner != no_worker) return p.owner;
  if (p.hint != no_worker) return p.hint;
  return p.from != no_worker ? p.from : turn.next();
}
/// The same, but in turn wherever it was made.
[[nodiscard]] inline int spread(const placement& p, round_robin& turn) noexcept {
  if (p.owner != no_worker) return p.owner;
  return p.hint != no_worker ? p.hint : turn.next();
}

}  // namespace amity::sched::policies
