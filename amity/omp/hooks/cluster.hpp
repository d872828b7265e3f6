#pragma once

/// What `rt` asks and tells of teams that have members in other processes. Defined in `cluster`; called in cold halves
/// only (cold.hpp).

namespace amity::omp {
struct region_work;
struct team;
struct thread;
}  // namespace amity::omp

namespace amity::omp::cluster {

/// The team on which `t` is to run a region of `threads` threads, spread() already; null: one in this process alone.
[[nodiscard]] team* team_for(thread& t, int threads, const region_work& work) noexcept;

/// A region of such a team has begun here: from now on join_from_outside may be called. By its leader, before it runs
/// its own part.
void has_begun(team& tm) noexcept;

/// The caller is the last member of `tm` in this process to arrive at a barrier. All here wait from now on until
/// arrive_from_outside (outside.hpp), which may be called in here.
void all_are_here(team& tm) noexcept;

}  // namespace amity::omp::cluster
