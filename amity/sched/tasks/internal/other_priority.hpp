#pragma once

/// Tasks of other than normal priority, where no policy has them: looked at before all queues of workers, and after
/// all.

#include "amity/base/lasting.hpp"
#include "amity/sched/tasks/internal/task_queue.hpp"

namespace amity::sched {

extern base::lasting<task_queue> high_lasting, low_lasting;
inline constexpr task_queue &high_tasks = high_lasting.value, &low_tasks = low_lasting.value;

}  // namespace amity::sched
