// What launchers of several processes (mpirun, mpiexec, srun) say in the environment of each.
#pragma once

#include "amity/base/config.hpp"
#include "amity/sys/cpus.hpp"

namespace amity::sys {

// The number that a variable of the environment has; `fallback` where it has none between 0 and a million.
[[nodiscard]] int number_of_variable(const char* name, int fallback) noexcept;

// Which of the processes of its job on this node the calling one is. 0 of 1 without a launcher.
struct node_rank {
  int rank = 0;
  int size = 1;
};
[[nodiscard]] node_rank rank_on_node() noexcept;

// Its rank among all of its job; -1: no launcher is known.
[[nodiscard]] AMITY_API int rank_in_job() noexcept;

// What a launcher has done with the node's CPUs.
enum class dealt {
  unknown,    // a process that has not all CPUs was bound to its own
  to_nobody,  // each process has the same mask: `amity run -n` has mpirun bind none
};

// How many CPUs of the budget this process should keep busy, where each of the others on its node does the same. Where
// the launcher has bound the processes to CPUs, all that it gave.
[[nodiscard]] int share_of_node(const cpu_budget& budget, const node_rank& me, dealt by_launcher) noexcept;

// The processes of this node outnumber its cores, `cpus` of which this one may use. Where each has as few as fit beside
// one another, the launcher has given each its own.
[[nodiscard]] bool node_is_crowded(int cpus, const node_rank& me) noexcept;

// The program, or a library that is loaded, asks for a function whose name begins so. `but`: those whose files are
// named so, up to a dot or '-', do not count; null behind the last.
[[nodiscard]] bool program_asks_for(const char* beginning, const char* const* but = nullptr) noexcept;

}  // namespace amity::sys
