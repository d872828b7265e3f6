#pragma once

/// Tasks that lie in no worker's queue. Of other than normal priority, where no policy has them: looked at before all
/// queues, and after all. And such as have come from outside (enqueue_arrived): in the order of their arrival.

#include "amity/base/lasting.hpp"
#include "amity/sched/tasks/internal/task_queue.hpp"

namespace amity::sched {

extern base::lasting<task_queue> high_lasting, low_lasting, arrived_lasting;
inline constexpr task_queue &high_tasks = high_lasting.value, &low_tasks = low_lasting.value,
                            &arrived_tasks = arrived_lasting.value;

/// Tasks that have come wait, and none was taken since the last call. For the monitor alone.
[[nodiscard]] bool arrivals_are_left() noexcept;

}  // namespace amity::sched
