#pragma once

/// In which constructs threads of this process have waited for memory that is elsewhere, for `amity run --stats`.
///
/// `nodes` counts how often each OS thread has waited. A thread looks at its count when it enters the runtime: what
/// has been added since it looked last belongs to what it has been doing in between.
///
///     GOMP_critical_start: enters(); ...; does(during::locks)     the program's block: 3 waits
///     GOMP_critical_end:   enters()                               3 more for `locks`
///
/// All by the calling thread, which is a carrier's: a fiber that waits in the runtime has entered it before.

#include "amity/omp/cluster/processes.hpp"

namespace amity::omp::cluster::waits {

/// What was added since the last call belongs to what the thread has done, which is returned. From now on it does
/// `next`.
during does(during next) noexcept;
/// The same, where it goes on with what it does; the block of a single is over, though.
void enters() noexcept;

[[nodiscard]] std::uint64_t counted(during what) noexcept;

}  // namespace amity::omp::cluster::waits
