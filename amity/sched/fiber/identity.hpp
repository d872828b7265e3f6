#pragma once

/// How fibers keep their identity on this machine: README.md of this folder has the modes.

#include "amity/base/config.hpp"
#include "amity/sys/thread_pointer.hpp"

namespace amity::sched {

/// The mode that was chosen when the pool started; `fixed` before. A thread that is no fiber yet may see either.
[[nodiscard]] AMITY_API sys::thread_pointer_mode identity_mode() noexcept;

/// Each fiber runs on its own OS thread and nowhere else.
[[nodiscard]] inline bool fibers_stay() noexcept { return identity_mode() == sys::thread_pointer_mode::fixed; }

/// Finds out what works here, and what AMITY_IDENTITY asks for. Once, under the pool's lock.
void choose_identity_mode() noexcept;

}  // namespace amity::sched
