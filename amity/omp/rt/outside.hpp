#pragma once

/// A team's members in other processes, as this process sees them: one reporter, which counts for all of them at each
/// barrier and, where the region was forked here, at its end. README-barrier.md, "Members elsewhere".
///
/// The calling thread needs no OpenMP thread and no fiber. Nothing here blocks, takes a lock or allocates memory once
/// the monitor has been started (sched::ensure_monitor).

namespace amity::omp {
struct team;

/// All members elsewhere have arrived at the barrier at which all here wait (cluster::all_are_here): these go on. Once
/// for each time that all were here, unless the region was cancelled and all are through before (O5).
void arrive_from_outside(team& tm) noexcept;

/// All members elsewhere are through a region that was forked here. The team may be another one afterwards.
void join_from_outside(team& tm) noexcept;

/// All members elsewhere have come to the end of a cancellable region. If it was cancelled, others here may still meet
/// barriers, and those elsewhere are to arrive at them (rt/README-cancellation.md). Due before join_from_outside, and
/// also where the region was not forked here.
void leave_from_outside(team& tm) noexcept;

}  // namespace amity::omp
