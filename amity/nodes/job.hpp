#pragma once

/// Which process of the program this one is, as `amity run --nodes` has said it in the environment:
///
///     AMITY_NODES_JOB=1/2/4,4/900/901,-1         process 1 of 2, 4 threads each; the descriptor of the file that is
///                                                their memory; a stream to each process
///     AMITY_NODES_JOB=1/2/4,4/-1/901,-1/902,-1   the same by pages, which have streams of their own

#include "amity/omp/cluster/processes.hpp"

namespace amity::nodes {

inline constexpr int most_processes = omp::cluster::most_processes;

struct job {
  int own = 0, count = 1;
  int threads[most_processes] = {1};    ///< of each process
  bool prints_figures = false;          ///< AMITY_STATS
  bool always_spreads = false;          ///< AMITY_NODES_REGIONS=always: also what is not worth it
  bool has_launcher_of_others = false;  ///< mpirun or srun has started it: its streams are TCP
  int memory = -1;                      ///< the descriptor of what all processes map; -1: each has pages (dsm)
  int links[most_processes] = {};       ///< a stream to each other process; -1: the own place
  int pagers[most_processes] = {};      ///< the same for pages
};

/// Set by the constructor that comes before all others; count is 1 where nobody has started several.
extern job us;

/// Reads it from `environment`. False: it is not there. A damaged one ends the process, in words.
[[nodiscard]] bool read_job(char** environment) noexcept;

/// The program's threads and its memory are of several processes: from the first constructor's end on.
extern bool is_on;

/// Ends this process at once, with words of this node.
[[noreturn, gnu::format(printf, 1, 2)]] void refuse(const char* format, ...) noexcept;

}  // namespace amity::nodes
