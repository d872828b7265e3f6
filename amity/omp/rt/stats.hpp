/// The line of AMITY_STATS: what the runtime did in this process, by whom it is told from those of other processes.
#pragma once

namespace amity::omp {

/// When the runtime starts: the environment may be another at the end.
void prepare_stats() noexcept;

/// The child of a fork tells what it did itself.
void restart_stats() noexcept;

}  // namespace amity::omp
