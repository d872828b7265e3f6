#pragma once

/// Strands of their own for explicit tasks. To a race detector, what a thread does is ordered; tasks that one thread
/// runs are not. So each body runs as a strand that knows what the task's maker knew, on a stack that no other strand
/// uses at the time.
///
///     if (strand* s = take_strand()) { run_on(*s, body, argument); give_strand(s); }

namespace amity::omp::race {

struct strand;

/// Null: there are too many, or the detector has none.
[[nodiscard, gnu::cold]] strand* take_strand() noexcept;
[[gnu::cold]] void give_strand(strand* s) noexcept;

/// Calls `body(argument)` as that strand, and comes back as the one that it was.
[[gnu::cold]] void run_on(strand& s, void (*body)(void*), void* argument) noexcept;

}  // namespace amity::omp::race
