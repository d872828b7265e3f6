#pragma once

/// Threads that the program made, and what they start with.

#include "amity/omp/rt/icv.hpp"

namespace amity::omp {

struct thread;

/// The num_threads ICV of a region at nesting `level` (1: the outermost): the entry of the OMP_NUM_THREADS list, or what the
/// encountering task has.
[[nodiscard]] int environment_num_threads(int level, int inherited) noexcept;

/// Gives the shells of the thread's hot teams back; its next region makes them anew.
void release_teams(thread& initial) noexcept;

/// A target region on the host: its code runs on an initial thread of its own, with no enclosing region, on the caller's identity.
/// Returns the thread to give to leave_device.
[[nodiscard]] thread& enter_device() noexcept;
void leave_device(thread& before) noexcept;

}  // namespace amity::omp
