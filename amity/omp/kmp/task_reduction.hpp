#pragma once

/// clang's task reductions: the runtime makes the private copies, finds them and combines them.

#include "amity/omp/rt/taskgroup.hpp"

namespace amity::omp::kmp {

/// Ends the current taskgroup; combines its reductions, unless they are of a whole region or worksharing construct.
void end_group_with_reductions(thread& t) noexcept;

}  // namespace amity::omp::kmp
