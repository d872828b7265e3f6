/// AMITY_STATS=1 (`amity run --stats`): one line at the program's end about what the runtime did.

#include <stdio.h>
#include <unistd.h>

#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sched/pool.hpp"
#include "amity/trace/counters.hpp"

namespace amity::omp {
namespace {

using ull = unsigned long long;

[[gnu::destructor]] void print_stats() {
  if (!runtime_started() || !environment().stats) return;
  trace::totals const n = trace::sum_counters();
  char line[512];
  int const length =
      snprintf(line, sizeof line,
               "amity: %d carriers, %llu regions, %llu tasks, %llu steals, %llu waits, %llu switches, %llu sleeps, "
               "%llu rescues\n",
               sched::concurrency(), ull{n.regions}, ull{n.tasks}, ull{n.steals}, ull{n.waits}, ull{n.switches},
               ull{n.sleeps}, ull{n.rescues});
  if (length > 0) static_cast<void>(!write(STDERR_FILENO, line, static_cast<std::size_t>(length)));
}

}  // namespace
}  // namespace amity::omp
