/// The launchers' variables. Open MPI's mpirun sets OMPI_COMM_WORLD_* and PMIX_*; MPICH's hydra sets PMI_* and
/// MPI_LOCAL*; srun sets SLURM_*, and PMIX_* or PMI_* by its --mpi.

#include "amity/launch/membership.hpp"

#include <stdlib.h>

#include "amity/sys/launcher.hpp"

namespace amity::launching {
namespace {

/// What the first of some variables says that has a number; the last argument if none has.
template <class... More>
int number(const char* name, More... more) noexcept {
  int const value = sys::number_of_variable(name, -1);
  if constexpr (sizeof...(more) == 1)
    return value >= 0 ? value : (more, ...);
  else
    return value >= 0 ? value : number(more...);
}

bool is_set(const char* name) noexcept { return getenv(name) != nullptr; }

}  // namespace

membership read_membership(const char** problem) noexcept {
  *problem = nullptr;
  membership found;
  sys::node_rank const here = sys::rank_on_node();
  found.local_rank = here.rank;
  found.local_size = here.size;
  bool const by_slurm = is_set("SLURM_PROCID");
  if (is_set("PMIX_RANK") && is_set("PMIX_NAMESPACE")) {
    found.by = wiring::pmix;
    found.launcher = is_set("OMPI_COMM_WORLD_SIZE") ? "Open MPI's mpirun" : by_slurm ? "srun" : "a launcher with PMIx";
    found.rank = number("PMIX_RANK", 0);
    found.size = number("OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", 0);  // 0: PMIx knows it
    return found;
  }
  int const size = number("PMI_SIZE", 1);
  if (is_set("PMI_FD") && is_set("PMI_RANK")) {
    if (by_slurm) {
      *problem =
          "srun has started this process with PMI-2, which Amity does not speak; start it by srun --mpi=pmix (`srun "
          "--mpi=list` says what there is)";
      return found;
    }
    found.by = wiring::pmi1;
    found.launcher = is_set("AMITY_RUN_LAUNCHES") ? "amity run" : "MPICH's mpirun (hydra)";
    found.rank = number("PMI_RANK", 0);
    found.size = size;
    return found;
  }
  int const tasks = number("SLURM_STEP_NUM_TASKS", 1);
  if (by_slurm && tasks > 1 && is_set("SLURM_STEP_ID"))
    *problem =
        "srun has started several processes without PMIx, so they can't find one another; start them by srun "
        "--mpi=pmix";
  else if (size > 1)
    *problem =
        "PMI_SIZE says that there are several processes, and PMI_FD, by which they would find one another, is "
        "missing; was this process started by another program of the job?";
  return found;
}

}  // namespace amity::launching
