#pragma once

/// CPUs for workers that are bound.

#include "amity/sys/cpu_mask.hpp"

namespace amity::sched {

/// Of the n-th core that the process may use, counted round and round.
[[nodiscard]] sys::cpu_mask cpus_of_core(int n) noexcept;

}  // namespace amity::sched
