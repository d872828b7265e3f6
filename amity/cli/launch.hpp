// Several processes of one program, by the launcher that this machine has.
#pragma once

#include <string>
#include <vector>

namespace amity::cli {

enum class launcher_family { open_mpi, hydra, slurm, unknown };

struct launcher {
  std::string command;  // as it is started; empty: there is none
  launcher_family family = launcher_family::unknown;
  std::string version;  // what it says of itself, in one line
};

// `wish`: a command; empty: the first of mpirun, mpiexec, srun (that one only where Slurm answers).
[[nodiscard]] launcher find_launcher(const std::string& wish);

// What the family is called in words.
[[nodiscard]] const char* name_of(launcher_family family);

struct launch_wishes {
  std::string launcher;
  std::string hosts;
  bool tag = false;
  bool keep_going = false;  // the launcher does not end the other processes when one is lost
};

// The launcher with its options before `words`, which start one rank.
[[nodiscard]] std::vector<std::string> launch_command(const launcher& by, int processes, const launch_wishes& wishes,
                                                      const std::vector<std::string>& words);

// Becomes the launcher. Returns only if that fails, with the exit status, and says why.
[[nodiscard]] int launch(int processes, const launch_wishes& wishes, const std::vector<std::string>& words);

}  // namespace amity::cli
