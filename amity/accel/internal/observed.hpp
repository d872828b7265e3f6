#pragma once

/// Operations in the profile and the timeline of `amity run` (sched/profile/beside.hpp).

#include "amity/accel/operation.hpp"
#include "amity/sched/tasks/observed.hpp"

namespace amity::accel::detail {

[[gnu::cold]] void note_hand_over_in_profile(operation& op) noexcept;
[[gnu::cold]] void note_end_in_profile(operation& op) noexcept;

/// The driver gets it now. Under the lock of its stream.
inline void observe_hand_over(operation& op) noexcept {
  if (sched::tasks_are_observed()) [[unlikely]]
    note_hand_over_in_profile(op);
}

/// It is over, and has not failed.
inline void observe_end(operation& op) noexcept {
  if (sched::tasks_are_observed()) [[unlikely]]
    note_end_in_profile(op);
}

}  // namespace amity::accel::detail
