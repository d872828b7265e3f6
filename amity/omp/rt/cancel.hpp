#pragma once

/// Cancellation: OMP_CANCELLATION=true; without it all answers are false, and cost one look at the team.
///
///     if (cancel(t, cancel_kind::loop)) ...                   // leave the loop and meet the barrier that closes it
///     if (cancellation_point(t, cancel_kind::region)) ...     // go to the end of the region
///     if (cancel_barrier(t)) ...                              // the same
///
/// True means that the thread, or the task, has to go on at the end of what was cancelled. Nobody is torn out of a
/// wait. Those who have left a region early go on to be counted at its barriers and to pass their turns in its loops
/// (attend, in cancel.cpp) until everybody is through, so nobody waits for them in vain. README-cancellation.md has the
/// whole.

#include <cstdint>

#include "amity/omp/rt/task.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"

namespace amity::omp {

/// What is cancelled, in gcc's numbers.
enum class cancel_kind : std::uint8_t { region = 1, loop = 2, sections = 4, taskgroup = 8 };

[[nodiscard, gnu::cold]] bool cancel_enabled(thread& t, cancel_kind what) noexcept;
[[nodiscard, gnu::cold]] bool cancellation_point_enabled(thread& t, cancel_kind what) noexcept;
[[nodiscard, gnu::cold]] bool cancel_barrier_enabled(thread& t) noexcept;

/// Cancels the innermost construct of that kind around the current task.
/// Memory ordering: what happened before it happens before the answer `true` in every other thread.
[[nodiscard]] inline bool cancel(thread& t, cancel_kind what) noexcept {
  return t.team->cancellable && cancel_enabled(t, what);
}

[[nodiscard]] inline bool cancellation_point(thread& t, cancel_kind what) noexcept {
  return t.team->cancellable && cancellation_point_enabled(t, what);
}

/// The region is cancelled. A cancellation point of the region also waits for the caller's tasks.
[[nodiscard]] inline bool is_region_cancelled(const team& tm) noexcept {
  return (tm.cancelled.load(std::memory_order_acquire) & region_cancelled) != 0;  // pairs with cancel_enabled
}

/// A barrier that ends the region for the caller if it is cancelled.
[[nodiscard]] inline bool cancel_barrier(thread& t) noexcept {
  if (t.team->cancellable) [[unlikely]]
    return cancel_barrier_enabled(t);
  barrier(t);
  return false;
}

// --- tasks

/// True if a task in `outer` may be dropped: the region is cancelled, or a taskgroup around it. Requires: the scope and
/// those around it are alive.
[[nodiscard, gnu::cold]] bool is_dropped_in(const team& tm, const scope& outer) noexcept;

/// New tasks of the current task need not be run.
[[nodiscard]] inline bool drops_new_tasks(const thread& t) noexcept {
  // Relaxed: a thread that sees it late runs a task that need not be run.
  return t.team->cancelled.load(std::memory_order_relaxed) != 0 && is_dropped_in(*t.team, *t.current->inner);
}

/// The same as by a member that cancels, without what that has to do itself. `loop`: 1 + its number in the region, of a
/// loop that is dealt out by calls in a team with members in other processes; else 0. False: it was cancelled already.
[[gnu::cold]] bool note_cancellation(team& tm, cancel_kind what, std::uint32_t round, std::uint64_t loop) noexcept;

// --- for kmp: a loop or sections construct was cancelled in this round of the team's barrier.
[[nodiscard]] bool construct_cancelled_in(const team& tm, std::uint32_t round) noexcept;

// --- for team.cpp; only if the team is cancellable

/// Every member, at the region's end: if that is cancelled, stays until all are there.
[[gnu::cold]] void end_cancellable_region(thread& t) noexcept;
/// One more has come to the region's end; those who attend there go on with the last.
void count_through(team& tm) noexcept;
/// The leader, when all members have joined: makes the team ready for the next region.
[[gnu::cold]] void forget_cancellation(thread& leader) noexcept;
/// The barrier of a team of one, which has no rounds.
[[gnu::cold]] void end_construct_alone(team& tm) noexcept;

}  // namespace amity::omp
