#pragma once

#include "amity/base/config.hpp"

namespace amity::sched {

/// Says that the library around `address` is runtime code: a fiber is never taken off its OS thread in the middle
/// of it (internal/preempt.hpp). For the layers above that live in a library of their own; before their first fiber
/// waits.
AMITY_API void mark_runtime_code(const void* address) noexcept;

}  // namespace amity::sched
