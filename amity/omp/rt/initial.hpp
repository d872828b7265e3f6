#pragma once

/// Threads that the program made, and what they start with.

#include <cstdint>

#include "amity/omp/settings/icv.hpp"

namespace amity::omp {

struct thread;

/// Makes the ICVs of the task that meets a parallel construct those of a region at nesting `level` (1: the outermost):
/// the lists in OMP_NUM_THREADS and OMP_PROC_BIND go on to their next entry. `bind`: gcc's clause, -1: none.
void descend(icv_set& icv, int level, int bind) noexcept;

/// What clang's code calls a global thread number: another one for each OpenMP thread.
[[nodiscard]] std::uint32_t next_global_number() noexcept;

/// Gives the shells of the thread's hot teams back; its next region makes them anew.
void release_teams(thread& initial) noexcept;

/// CPUs for omp_get_num_procs. A thread that the program has narrowed since OpenMP started has those that are left to
/// it; threads that the runtime binds, or made, have all of the process.
[[nodiscard]] int processors_of(const thread& t) noexcept;

/// The contention group of `t`: an initial thread and the members of all teams below it, of which there may be no more
/// than the thread_limit ICV. They are counted only where there is such a limit. Takes up to `wanted` threads for a
/// team, and says how many it got; give_to_group takes them back when the team's region has ended.
[[nodiscard]] int take_from_group(thread& t, int wanted) noexcept;
void give_to_group(thread& t, int threads) noexcept;

/// A target region on the host: its code runs on an initial thread of its own, with no enclosing region, on the
/// caller's identity. Returns the thread to give to leave_device.
[[nodiscard]] thread& enter_device() noexcept;
void leave_device(thread& before) noexcept;

}  // namespace amity::omp
