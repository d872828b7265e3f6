#pragma once

/// What clang's other entries need to know of cancellation.

#include "amity/omp/kmp/kmp.hpp"

namespace amity::omp::kmp {

/// The barrier with which threads end a reduction, and before the one that closes the construct.
void reduction_barrier(thread& t) noexcept;

}  // namespace amity::omp::kmp
