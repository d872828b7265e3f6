// Where this process stands among the ranks that an MPI launcher has started on this node, and a word to the user where
// the launcher has left them one core: Open MPI's mpirun binds each rank to one, and all OpenMP threads of the rank
// then take turns there.
//
//   if (environment().warnings) warn_of_confined_ranks(environment());
//
// A process that no launcher has started pays a few looks at its environment.
#pragma once

#include "amity/omp/settings/settings.hpp"

namespace amity::omp {

struct local_rank {
  int number = -1;                 // among those on this node; -1: no launcher is known
  int count = 0;                   // how many there are on this node; 0: the launcher doesn't say
  const char* variable = nullptr;  // that says so
  const char* how = "";            // the launcher's option for more cores; %d is their number
};

// From the launcher's environment variables.
[[nodiscard]] local_rank find_local_rank() noexcept;

// One line on stderr, by the first rank of each node, if its affinity mask has one core and it wants more threads than
// that (OMP_NUM_THREADS; without it, if the machine has two cores or more for each rank), or if all ranks have the same
// core.
void warn_of_confined_ranks(const settings& s) noexcept;

}  // namespace amity::omp
