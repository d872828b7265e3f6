// What launchers of several processes (mpirun, mpiexec, srun) say in the environment of each.
#pragma once

namespace amity::sys {

// The number that a variable of the environment has; `fallback` where it has none between 0 and a million.
[[nodiscard]] int number_of_variable(const char* name, int fallback) noexcept;

// Which of the processes of its job on this node the calling one is. 0 of 1 without a launcher.
struct node_rank {
  int rank = 0;
  int size = 1;
};
[[nodiscard]] node_rank rank_on_node() noexcept;

// How many of `cpus` this process should keep busy, where each of the others on its node does the same. Where the
// launcher has bound the processes to CPUs, all that it gave.
[[nodiscard]] int share_of_node(int cpus, const node_rank& me) noexcept;

// The processes of this node outnumber its cores, `cpus` of which this one may use. Where each has as few as fit beside
// one another, the launcher has given each its own.
[[nodiscard]] bool node_is_crowded(int cpus, const node_rank& me) noexcept;

// The program, or a library that it was started with, asks for a function whose name begins so.
[[nodiscard]] bool program_asks_for(const char* beginning) noexcept;

}  // namespace amity::sys
