#pragma once

/// A queue of tasks under a lock, from which both ends and tasks of one scope can be taken: what most policies are made
/// of. One that is empty costs a load to look at.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/tasks/policy.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::sched {

enum class order : std::uint8_t { fifo, lifo };

class task_queue {
 public:
  task_queue() noexcept = default;
  task_queue(const task_queue&) = delete;
  task_queue& operator=(const task_queue&) = delete;
  ~task_queue();

  void push(task_ref t) noexcept;
  [[nodiscard]] task_ref oldest() noexcept;
  [[nodiscard]] task_ref newest() noexcept;
  [[nodiscard]] task_ref next(order by) noexcept { return by == order::fifo ? oldest() : newest(); }
  /// The next in that order among the newest ones that are within `s`.
  [[nodiscard]] task_ref within(const scope& s, order by) noexcept;
  /// Moves up to `most` of the oldest to `to`, in their order. False: there were none.
  bool move_to(task_queue& to, std::uint32_t most) noexcept;
  /// Relaxed: a hint. A caller that must not miss a task has it from the domain's counts.
  [[nodiscard]] std::uint32_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

 private:
  void push_locked(task_ref t) noexcept;
  task_ref take_at(std::uint32_t index) noexcept;  // counted from the oldest

  sys::spin_lock lock_;
  std::atomic<std::uint32_t> size_{0};
  std::uint32_t first_ = 0;  ///< of the ring
  std::uint32_t capacity_ = 0;
  task_ref* ring_ = nullptr;
};

}  // namespace amity::sched
