// Amity's own launcher: the ranks of a job on this machine, as children of this process.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace amity::cli {

// What a rank becomes.
struct rank_program {
  std::string path;
  std::vector<std::string> words;               // with its name, as it was given
  std::function<void(int rank)> at_birth = {};  // called in the rank's process, before it becomes the program
  std::function<void()> when_started = {};      // called in this process, when there are all
};

struct local_wishes {
  bool tag = false;         // "[RANK] " before each line of output
  bool keep_going = false;  // the others go on when one is lost
  // The ranks are one program: rank 0's status and signals are its own, and when it ends, so do the others, by
  // themselves. All write where this process writes, and there is no process manager.
  bool one_program = false;
};

// Starts `ranks` processes of the program, with this process's environment and variables of their own. Passes on their
// output, its own standard input (to rank 0) and signals, and ends all others when one fails. Blocks until all have
// ended. The exit status: that of the rank that failed first, as a shell has it; 0 if none did. Requires a process with
// one thread.
[[nodiscard]] int launch_here(int ranks, const rank_program& program, const local_wishes& wishes);

}  // namespace amity::cli
