#pragma once

/// The tasks of a team that are in no thread's own queue: those with a priority, and those that became ready outside of
/// the team. Locked; costs one load while it is empty.
///
///     team.tasks.shared.push(x);
///     if (!q.is_empty()) if (explicit_task* x = q.take_first([](const explicit_task& c) { return allowed(c); })) ...

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::omp {

struct explicit_task;
struct team;

class task_queue {
 public:
  task_queue() = default;
  task_queue(const task_queue&) = delete;
  task_queue& operator=(const task_queue&) = delete;
  ~task_queue();

  /// seq_cst: a thread that has told the others that there is nothing (task_search.cpp: last_look) looks here
  /// afterwards. Pairs with push.
  [[nodiscard]] bool is_empty() const noexcept { return count_.load(std::memory_order_seq_cst) == 0; }
  /// Some have a priority: they go before what is elsewhere. Relaxed: a hint, of which nothing else depends.
  [[nodiscard]] bool is_urgent() const noexcept { return urgent() != 0; }
  [[nodiscard]] std::uint32_t urgent() const noexcept { return urgent_.load(std::memory_order_relaxed); }

  /// Behind all of its priority and above, before all below. Comes with a seq_cst fence: the caller looks next whether
  /// somebody was told of tasks, and nobody, not even the caller, has to look here who was not. `tell`, if any, is
  /// called before anybody can take the task: as long as it is there its region can't end, and the team stays what it
  /// is.
  void push(explicit_task& x, void (*tell)(team& tm) = nullptr, team* tm = nullptr) noexcept;

  /// One for which there was no room elsewhere: before all others without a priority. Its maker is likely to look for
  /// it.
  void push_first(explicit_task& x) noexcept;

  /// The first one that `may` accepts, taken out; null: none.
  [[nodiscard]] explicit_task* take_first(bool (*may)(const explicit_task& candidate, const void* context),
                                          const void* context) noexcept;
  /// The same among the first few, unless another thread is at it just now.
  [[nodiscard]] explicit_task* try_take_first(bool (*may)(const explicit_task& candidate, const void* context),
                                              const void* context) noexcept;

 private:
  /// The tasks of one priority, oldest first, linked by frame::next.
  struct level {
    std::int32_t priority = 0;
    explicit_task* first = nullptr;
    explicit_task* last = nullptr;
    level* lower = nullptr;
  };
  void lock() noexcept;
  explicit_task* take(bool (*may)(const explicit_task& candidate, const void* context), const void* context,
                      std::uint32_t most) noexcept;
  void unlock() noexcept { locked_.store(false, std::memory_order_release); }
  level& level_of(std::int32_t priority) noexcept;

  std::atomic<std::uint32_t> count_{0};
  std::atomic<std::uint32_t> urgent_{0};  ///< of these, with a priority
  std::atomic<bool> locked_{false};
  level normal_;  ///< priority 0
  level* highest_ = &normal_;
};

}  // namespace amity::omp
