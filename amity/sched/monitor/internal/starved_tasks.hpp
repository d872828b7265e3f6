#pragma once

/// Tasks that nobody comes to (idle/starvation_judge.hpp): what the monitor sees and does.

namespace amity::sched {

/// One look of the monitor's, which passes over those that it makes in a hurry. True if tasks wait.
bool look_after_tasks(bool hurried) noexcept;

/// The monitor begins, perhaps in the child of a fork: what was seen before counts no more.
void begin_to_look_after_tasks() noexcept;

}  // namespace amity::sched
