#pragma once

/// The rescue monitor: user code may spin on a flag, hold a pthread mutex across a wait or block in the kernel while
/// other fibers of its carrier are ready. Plain threads would make progress there, so fibers must: a fiber that was
/// ready through two looks of the monitor while its home carrier saw no scheduling event, though it had a core or
/// blocks in the kernel, is sent to its own kernel thread.

#include "amity/base/config.hpp"

namespace amity::sched {

/// Says that fibers may come to wait for a carrier that is busy: a team larger than its carriers, a wake left out, or a
/// permit for a fiber whose carrier runs another one.
/// Cheap when the monitor is awake; it goes to sleep by itself after a while without ready fibers, and never runs
/// before the first call.
AMITY_API void arm_rescue() noexcept;

/// Whether somebody can be rescued at all; starts the monitor to find out. False: the system refuses its thread, and
/// fibers that share a carrier must not count on getting on while user code keeps it.
[[nodiscard]] AMITY_API bool can_rescue() noexcept;

/// Says that the library around `address` is runtime code: a fiber is never taken off its kernel thread in the middle
/// of it (internal/preempt.hpp). For the layers above that live in a library of their own; before their first fiber
/// waits.
AMITY_API void mark_runtime_code(const void* address) noexcept;

/// The child of a fork has no monitor thread.
void forget_rescue() noexcept;

}  // namespace amity::sched
