// Several processes of one program, by the launcher that this machine has.
#pragma once

#include <string>
#include <vector>

#include "amity/cli/program.hpp"

namespace amity::cli {

enum class launcher_family { open_mpi, hydra, slurm, unknown };

// Our own, as --launcher names it (local/).
inline constexpr const char* own_launcher = "amity";

struct launcher {
  std::string command;  // as it is started; empty: there is none
  launcher_family family = launcher_family::unknown;
  std::string version;  // what it says of itself, in one line
  std::string trouble;  // of an unknown one: why it does not answer, if that can be said
};

// `wish`: a command; empty: the first of mpirun, mpiexec, srun (that one only where Slurm answers), and one of family
// `mpi` before others.
[[nodiscard]] launcher find_launcher(const std::string& wish, launcher_family mpi = launcher_family::unknown);

// Whose MPI is among the libraries; `unknown`: none. What is linked to another's than the launcher's would run as so
// many jobs of one process. `library`, if not null, gets its name.
[[nodiscard]] launcher_family mpi_among(const std::vector<loaded_library>& libraries, std::string* library = nullptr);

// What the family is called in words.
[[nodiscard]] const char* name_of(launcher_family family);

struct launch_wishes {
  std::string launcher;
  std::string hosts;
  bool tag = false;
  bool keep_going = false;                         // the launcher does not end the other processes when one is lost
  launcher_family mpi = launcher_family::unknown;  // that the program is linked with, by mpi_library
  std::string mpi_library;
};

// Whether Amity's own launcher starts them, on this machine: not where a machine or another launcher is named, a queue
// has allocated machines, or an MPI is to begin by its own. `problem`: why what was asked for can't be; or empty.
[[nodiscard]] bool starts_here(const launch_wishes& wishes, std::string& problem);

// The launcher with its options before `words`, which start one rank.
[[nodiscard]] std::vector<std::string> launch_command(const launcher& by, int processes, const launch_wishes& wishes,
                                                      const std::vector<std::string>& words);

// Becomes the launcher, or with `keep_going` waits for it, and returns the exit status. Without `keep_going` it returns
// only if that fails, and says why.
[[nodiscard]] int launch(int processes, const launch_wishes& wishes, const std::vector<std::string>& words);

}  // namespace amity::cli
