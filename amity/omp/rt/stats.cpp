/// AMITY_STATS=1 (`amity run --stats`): one line at the program's end about what the runtime did.
///
///     amity: python3.11 (pid 4711, rank 3): 2 carriers, 12 regions, 1 serial regions, 40 tasks, ...
///
/// Of many processes, as under mpirun or joblib, each has its own line, and none those that did nothing here.
#include "amity/omp/rt/stats.hpp"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "amity/base/report.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/ranks.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/trace/counters.hpp"

namespace amity::omp {
namespace {

using ull = unsigned long long;

int rank = -1;          // in the job of an MPI launcher; -1: none is known
trace::totals at_fork;  // what the parent had done

trace::totals since_fork() noexcept {
  trace::totals n = trace::sum_counters();
  n.regions -= at_fork.regions;
  n.serial -= at_fork.serial;
  n.tasks -= at_fork.tasks;
  n.steals -= at_fork.steals;
  n.waits -= at_fork.waits;
  n.switches -= at_fork.switches;
  n.sleeps -= at_fork.sleeps;
  n.rescues -= at_fork.rescues;
  return n;
}

/// As a child does that was only asked how many threads it would have, or nothing at all.
bool did_nothing(const trace::totals& n) noexcept {
  return n.regions == 0 && n.serial == 0 && n.tasks == 0 && n.steals == 0 && n.switches == 0;
}

[[gnu::destructor]] void print_stats() {
  if (!runtime_started() || !environment().stats) return;
  trace::totals const n = since_fork();
  if (did_nothing(n)) return;
  char in_job[32] = "";
  if (rank >= 0) snprintf(in_job, sizeof in_job, ", rank %d", rank);
  char line[512];
  int const length = snprintf(
      line, sizeof line,
      "amity: %s (pid %d%s): %d carriers, %llu regions, %llu serial regions, %llu tasks, %llu steals, %llu waits, "
      "%llu switches, %llu sleeps, %llu rescues\n",
      base::quoted(program_invocation_short_name).text, static_cast<int>(getpid()), in_job, sched::concurrency(),
      ull{n.regions}, ull{n.serial}, ull{n.tasks}, ull{n.steals}, ull{n.waits}, ull{n.switches}, ull{n.sleeps},
      ull{n.rescues});
  if (length > 0) static_cast<void>(!write(STDERR_FILENO, line, static_cast<std::size_t>(length)));
}

}  // namespace

void prepare_stats() noexcept {
  if (environment().stats) rank = find_rank();
}

void restart_stats() noexcept { at_fork = trace::sum_counters(); }

}  // namespace amity::omp
