#pragma once

/// Tasks that lie on the stack of the fiber that waits for them. They cost no memory, no count and no atomic operation
/// unless another takes them.
///
///     stack_task t(run, w.current);                        // run: does the work, then t.end_as(stack_task::done)
///     std::uint32_t const at = w.queue.bottom();
///     if (!lend(t, w, at)) ...                             // no room: nobody else will do it
///     ... other work ...
///     if (take_back(t, w, at)) ...                         // nobody has begun it, and nobody will
///     else wait_for(t, w);                                 // another did it, or does

#include <atomic>
#include <cstdint>

#include "amity/sched/tasks/task.hpp"

namespace amity::sched {

struct stack_task : task {
  /// Values of `end`; above them it is the fiber that waits.
  static constexpr std::uintptr_t open = 0, done = 1, failed = 2;
  std::atomic<std::uintptr_t> end{open};

  stack_task(function f, scope* s) noexcept : task(f, s) {}

  /// Called by the thread that took it, as the last thing. The task may be gone afterwards.
  AMITY_API void end_as(std::uintptr_t how) noexcept;
};

namespace detail {
/// The queue has no room. False: nobody else will do it.
[[nodiscard]] AMITY_API bool lend_elsewhere(stack_task& t, worker& w) noexcept;
/// Something lies on top, or others have it.
[[nodiscard]] AMITY_API bool take_back_slowly(const stack_task& t, worker& w, std::uint32_t at) noexcept;
}  // namespace detail

/// Lets anybody run `t`, from `at` in the queue, its bottom. False: the queue has no room.
[[nodiscard]] inline bool lend(stack_task& t, worker& w, std::uint32_t at) noexcept {
  using pushed = split_deque<task>::pushed;
  pushed const how = w.queue.push_and_tell(&t, at);
  if (how == pushed::quietly) [[likely]]
    return true;
  if (how == pushed::refused) [[unlikely]]
    return detail::lend_elsewhere(t, w);
  detail::announce_at(w);
  return true;
}

/// The fiber that stack_task takes its task back from where it put it. False: another has it, or will.
[[nodiscard]] inline bool take_back(const stack_task& t, worker& w, std::uint32_t at) noexcept {
  if (w.queue.pop_if_newest(&t)) [[likely]]
    return true;
  return detail::take_back_slowly(t, w, at);
}

/// Instead of take_back: the fiber that lent it will not run it. Then it waits.
AMITY_API void leave_to_others(const stack_task& t, worker& w) noexcept;

/// Waits until the other has ended it; its fiber waits, never the core.
/// Memory ordering: what the task did happens before the return.
AMITY_API void wait_for(stack_task& t, const worker& w) noexcept;

}  // namespace amity::sched
