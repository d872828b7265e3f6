#pragma once

/// The stack of the thread that forks a region with members in other processes. What these use of its variables lies
/// right above what the region's leader works with, often on one page; and where memory goes from process to process by
/// pages, each use would take that page away from under the leader.
///
///     main's frame: the shared variables     page 7
///     fork()                                 page 7
///     nothing                                page 7 and 6
///     the region's part of the leader        page 6

#include "amity/omp/rt/team.hpp"

namespace amity::omp {

/// As team::run_of_abi, in the leader a page further down.
void run_lower(thread& t, const region_work& work) noexcept;

/// Waits there until all members have joined, those in other processes, too. By the leader, at the region's end.
void await_joins_lower(thread& leader) noexcept;

}  // namespace amity::omp
