/// AMITY_STATS=1 (`amity run --stats`): one line at the program's end about what the runtime did.
///
///     amity: python3.11 (pid 4711, rank 3): 2 carriers, 12 regions, 1 serial regions, 40 tasks, ...
///     amity: a.out (pid 4712): 2 carriers, no OpenMP runtime was loaded, 40 tasks, ...
///
/// Of many processes, as under mpirun or joblib, each has its own line, and none those that did nothing here.
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "amity/base/report.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/loop/upcalls.hpp"
#include "amity/sched/tasks/internal/engine.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sys/launcher.hpp"
#include "amity/trace/counters.hpp"

namespace amity::sched {
namespace {

using ull = unsigned long long;

bool wanted = false;    // as it was when the pool started: at the end the environment may be another
int rank = -1;          // in the job of a launcher; -1: none is known
trace::totals at_fork;  // what the parent had done

/// Tasks of C++ and of OpenMP.
trace::totals until_now() noexcept {
  trace::totals n = trace::sum_counters();
  for (const worker* w = first_worker(); w != nullptr; w = w->next) n.tasks += ended_by(*w);
  return n;
}

trace::totals since_fork() noexcept {
  trace::totals n = until_now();
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

/// Ours or another one; a program of C++ alone has none. Only those are seen that other files can call.
bool has_openmp() noexcept {
  for (const char* entry : {"GOMP_parallel", "__kmpc_fork_call", "omp_get_num_threads"})
    if (dlsym(RTLD_DEFAULT, entry) != nullptr) return true;
  return false;
}

[[gnu::destructor]] void print_stats() {
  if (!wanted) return;
  trace::totals const n = since_fork();
  if (did_nothing(n)) return;
  char in_job[32] = "";
  if (rank >= 0) snprintf(in_job, sizeof in_job, ", rank %d", rank);
  char regions[80] = "no OpenMP runtime was loaded";
  if (n.regions != 0 || n.serial != 0 || has_openmp())
    snprintf(regions, sizeof regions, "%llu regions, %llu serial regions", ull{n.regions}, ull{n.serial});
  char line[512];
  int const length =
      snprintf(line, sizeof line,
               "amity: %s (pid %d%s): %d carriers, %s, %llu tasks, %llu steals, %llu waits, "
               "%llu switches, %llu sleeps, %llu rescues\n",
               base::quoted(program_invocation_short_name).text, static_cast<int>(getpid()), in_job, concurrency(),
               regions, ull{n.tasks}, ull{n.steals}, ull{n.waits}, ull{n.switches}, ull{n.sleeps}, ull{n.rescues});
  if (length > 0) static_cast<void>(!write(STDERR_FILENO, line, static_cast<std::size_t>(length)));
}

struct figure {
  const char* name;
  std::uint64_t trace::totals::*of;
};
constexpr figure figures[] = {{"regions", &trace::totals::regions}, {"serial_regions", &trace::totals::serial},
                              {"tasks", &trace::totals::tasks},     {"steals", &trace::totals::steals},
                              {"waits", &trace::totals::waits},     {"switches", &trace::totals::switches},
                              {"sleeps", &trace::totals::sleeps},   {"rescues", &trace::totals::rescues}};

}  // namespace

/// For callers without C++ (python/amity): the figure of the line above that has this name, "carriers", "regions",
/// "serial_regions", "tasks", ..., until now, in this process and not in what it was forked from. -1: there is none.
extern "C" AMITY_API long long amity_counter(const char* name) noexcept {
  if (strcmp(name, "carriers") == 0) return concurrency();
  trace::totals const n = since_fork();
  for (const figure& each : figures)
    if (strcmp(name, each.name) == 0) return static_cast<long long>(n.*each.of);
  return -1;
}

void read_stats_setting() noexcept {
  const char* const text = getenv("AMITY_STATS");
  char word[8] = "";
  if (text == nullptr || sscanf(text, "%7s", word) != 1) return;
  for (const char* on : {"true", "yes", "on", "1"}) wanted = wanted || strcasecmp(word, on) == 0;
  if (wanted) rank = sys::rank_in_job();
}

void restart_stats() noexcept { at_fork = until_now(); }

}  // namespace amity::sched
