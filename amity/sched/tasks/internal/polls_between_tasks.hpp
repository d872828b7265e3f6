#pragma once

/// Polls of sources of progress by a worker that runs one task after the other: others wait for its answers, however
/// much it has to do.

#include <algorithm>
#include <cstdint>

#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/progress.hpp"
#include "amity/sched/tasks/internal/common_queues.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {

/// Worker `w` has run a task. Polls every 20 us or so; to look at the time costs as much as a short task, so that is
/// done for one in `between`, which follows the length of the tasks. True: it has polled.
inline bool poll_between_tasks(worker& w) noexcept {
  constexpr unsigned most_between = 63;
  constexpr std::uint64_t period_us = 20;
  if (!some_progress()) [[likely]]
    return false;
  poll_note& polls = w.polls;
  if (polls.left != 0) {
    --polls.left;
    return false;
  }
  std::uint64_t const now = sys::ticks(), since = now - polls.last, period = sys::ticks_of_microseconds(period_us);
  bool const due = since >= period;
  polls.between = due ? polls.between / 2 : std::min(2 * polls.between + 1, most_between);
  polls.left = polls.between;
  if (!due) return false;
  poll_progress();
  polls.last = now;
  return true;
}

/// The same for a fiber that waits for tasks of its own and runs them meanwhile. What has come from elsewhere is not
/// among those: another fiber runs it.
inline void let_others_on_between_tasks(worker& w) noexcept {
  if (!poll_between_tasks(w)) return;
  if (arrived_tasks.size() != 0)
    let_arrivals_run();
  else if (others_ready(*w.self->on))
    yield();
}

}  // namespace amity::sched
