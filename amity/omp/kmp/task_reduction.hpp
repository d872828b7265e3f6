#pragma once

/// clang's task reductions: the runtime makes the private copies, finds them and combines them.

#include "amity/omp/rt/taskgroup.hpp"

namespace amity::omp::kmp {

/// Ends the current taskgroup; combines its reductions, unless they are of a whole region or worksharing construct.
void end_group_with_reductions(thread& t) noexcept;

/// The current task has left a worksharing construct by cancellation, past the code that ends its task reductions.
[[gnu::cold]] void leave_reductions(thread& t) noexcept;

/// The same for the region. Taskgroups that are open were left in the same way.
[[gnu::cold]] void leave_reductions_of_region(thread& t) noexcept;

}  // namespace amity::omp::kmp
