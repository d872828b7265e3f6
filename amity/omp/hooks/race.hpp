#pragma once

/// What a race detector is told: which constructs of OpenMP order what. rt calls these where `cold::any()` has sent it
/// aside; without a detector each returns at once.
///
/// Only what the standard orders is told, and not what the runtime happens to do: chunks of a loop that one thread runs
/// after the other stay unordered, and so do two tasks that one thread runs, each on a strand of its own (strands.hpp).

#include <cstddef>

#include "amity/omp/hooks/race_detector.hpp"

namespace amity::omp {

struct thread;
struct team;
struct task;
struct explicit_task;
struct taskgroup;
struct dependence;

namespace race {

/// Of an explicit task; made with it. Each byte-sized word is a name for acquire and release.
struct task_words;
/// Of a member of a team.
struct member_words;

// --- regions and barriers

[[gnu::cold]] void region_forks(team& tm) noexcept;
[[gnu::cold]] void region_begins(thread& t) noexcept;
/// After complete_descendants.
[[gnu::cold]] void descendants_end(thread& t) noexcept;
[[gnu::cold]] void region_ends(thread& t) noexcept;
/// The leader, when all members have said region_ends.
[[gnu::cold]] void region_joins(team& tm) noexcept;

/// The arrival of all members happens before the departure of any. `round`: the barrier's; the next one may begin while
/// this one has not been left by all.
[[gnu::cold]] void barrier_arrives(team& tm, unsigned round) noexcept;
[[gnu::cold]] void barrier_leaves(team& tm, unsigned round) noexcept;

/// The ordered regions of a loop, one after another.
[[gnu::cold]] void ordered_begins(thread& t) noexcept;
[[gnu::cold]] void ordered_ends(thread& t) noexcept;

/// A cancellation, and whoever sees it.
[[gnu::cold]] void cancels(team& tm) noexcept;
[[gnu::cold]] void sees_cancellation(team& tm) noexcept;

// --- tasks

/// Before a task is handed over or run in place. `list`: its dependences.
[[gnu::cold]] void task_made(thread& t, explicit_task& x, const dependence* list, std::size_t count) noexcept;
/// Runs a part of the task: the body, a part of an untied one, the destructors of its variables.
[[gnu::cold]] void run_in(thread& t, explicit_task& x, void (*part)(thread& t, explicit_task& x)) noexcept;
/// From within: another thread may run what comes next of it.
[[gnu::cold]] void part_ends(explicit_task& x) noexcept;
/// The half of its end that is not the body's.
[[gnu::cold]] void event_fulfilled(explicit_task& x) noexcept;
/// The maker of an undeferred task has waited for its event.
[[gnu::cold]] void event_awaited(explicit_task& x) noexcept;
/// The descriptor's end. Requires: explicit_task::watched.
[[gnu::cold]] void forget(explicit_task& x) noexcept;
/// Between the making of the last task and of the next: the runtime would have run that one inside its making. It has
/// been queued, since it is not ordered with what its maker does next, and runs now.
[[gnu::cold]] void run_what_is_due(thread& t) noexcept;

/// After a taskwait.
[[gnu::cold]] void children_end(thread& t) noexcept;
/// After a taskwait with dependences, and before an undeferred task that has some.
[[gnu::cold]] void dependences_end(thread& t, const dependence* list, std::size_t count) noexcept;

[[gnu::cold]] void group_begins(taskgroup& g) noexcept;
/// After the wait; may come several times.
[[gnu::cold]] void group_ends(taskgroup& g) noexcept;
/// The group is closed.
[[gnu::cold]] void forget(taskgroup& g) noexcept;

/// The calling task gets at its thread's private copies of a reduction. Tasks that share these are ordered, as far as
/// one thread runs them: there is no way to say it of the copies alone.
[[gnu::cold]] void uses_reduction(thread& t) noexcept;

}  // namespace race
}  // namespace amity::omp
