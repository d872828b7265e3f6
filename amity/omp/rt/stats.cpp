/// AMITY_STATS=1 (`amity run --stats`): one line at the program's end about what the runtime did. Many processes may
/// say theirs on one terminal, the children of a Python program or the ranks of a job: so each names itself.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sched/pool.hpp"
#include "amity/trace/counters.hpp"

namespace amity::omp {
namespace {

using ull = unsigned long long;

/// ", rank 3" where a launcher has given the process one.
struct rank_text {
  char text[32] = "";
  rank_text() noexcept {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
      const char* const rank = getenv(name);
      if (rank == nullptr) continue;
      snprintf(text, sizeof text, ", rank %.16s", rank);
      return;
    }
  }
};

[[gnu::destructor]] void print_stats() {
  if (!runtime_started() || !environment().stats) return;
  trace::totals const n = trace::sum_counters();
  if (n.regions + n.tasks + n.waits + n.steals == 0) return;  // it has a runtime, and has made no use of it
  char line[512];
  int const length = snprintf(line, sizeof line,
                              "amity: %.64s (process %d%s): %d carriers, %llu regions, %llu tasks, %llu steals, %llu "
                              "waits, %llu switches, %llu sleeps, "
                              "%llu rescues\n",
                              program_invocation_short_name, static_cast<int>(getpid()), rank_text().text,
                              sched::concurrency(), ull{n.regions}, ull{n.tasks}, ull{n.steals}, ull{n.waits},
                              ull{n.switches}, ull{n.sleeps}, ull{n.rescues});
  if (length > 0) static_cast<void>(!write(STDERR_FILENO, line, static_cast<std::size_t>(length)));
}

}  // namespace
}  // namespace amity::omp
