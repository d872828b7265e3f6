#pragma once

/// Queues of the whole process. Tasks of other than normal priority, where no policy has them: looked at before all
/// queues of workers, and after all. And such as have come from outside (enqueue_arrived), in the order of arrival.

#include <cstdint>

#include "amity/base/lasting.hpp"
#include "amity/sched/tasks/internal/task_queue.hpp"

namespace amity::sched {

extern base::lasting<task_queue> high_lasting, low_lasting, arrived_lasting;
inline constexpr task_queue &high_tasks = high_lasting.value, &low_tasks = low_lasting.value,
                            &arrived_tasks = arrived_lasting.value;

/// So many of those that have come from outside were taken. Relaxed: for the monitor, which compares two looks.
[[nodiscard]] std::uint64_t arrivals_taken() noexcept;

}  // namespace amity::sched
