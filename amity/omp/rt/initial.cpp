#include "amity/omp/rt/initial.hpp"

#include <stdlib.h>
#include <string.h>

#include <cstddef>
#include <mutex>
#include <new>

#include "amity/base/config.hpp"
#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/free_agent.hpp"
#include "amity/omp/rt/placement.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/ranks.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sched/host/runtime_code.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/monitor/report_table.hpp"
#include "amity/sys/cpu_mask.hpp"
#include "amity/sys/spin_lock.hpp"
#include "amity/sys/thread_pointer.hpp"

namespace amity::omp {
namespace {

/// The root of a thread that the program made: a team of one, and its thread. Kept when the thread ends, for the next
/// one.
struct root {
  team own;
  thread first;
  thread* members[1] = {&first};
  /// Threads of the contention group, as far as they are counted. Relaxed throughout: a number that orders nothing.
  std::atomic<int> threads{1};
  root* next_free = nullptr;
};

/// When the library is loaded: those who asked for it are there. They may wait for other threads of their teams in
/// loops of sched_yield(), as OpenBLAS does.
[[gnu::constructor]] void take_over_calls() noexcept {
  if (base::thread_sanitizer) return;
  auto const asks_for_openmp = [](const char* needed) {
    for (const char* runtime : {"libgomp", "libomp", "libiomp5"})
      if (strncmp(needed, runtime, strlen(runtime)) == 0) return true;
    return false;
  };
  sched::take_over_yields(asks_for_openmp);
}

sys::spin_lock roots_lock;
root* free_roots = nullptr;

root& acquire_root() noexcept {
  std::lock_guard lock(roots_lock);
  if (root* r = free_roots) {
    free_roots = r->next_free;
    r->threads.store(1, std::memory_order_relaxed);
    return *r;
  }
  void* memory = base::take_private(sizeof(root), alignof(root));
  if (memory == nullptr) base::fatal("out of memory for an OpenMP thread (%zu bytes)", sizeof(root));
  auto* r = new (memory) root;
  r->first.gtid = next_global_number();
  r->own.members = r->members;
  r->own.capacity = 1;
  r->own.cancellable = environment().cancellation;
  r->first.team = &r->own;
  for (std::uint32_t i = 0; i < loop_ring::size; ++i)
    r->own.loops.entry[i].sequence.store(2 * i, std::memory_order_relaxed);
  return *r;
}

root& root_of(thread& t) noexcept {
  thread* outermost = &t;
  while (outermost->team->leader_outside != nullptr) outermost = outermost->team->leader_outside;
  return *reinterpret_cast<root*>(outermost->team);  // the team is the root's first member
}

void retire_root(root& r) noexcept {
  release_teams(r.first);
  std::lock_guard lock(roots_lock);
  r.next_free = free_roots;
  free_roots = &r;
}

void guest_ends() {
  if (current_thread == nullptr) return;
  if (cold::any()) [[unlikely]]
    ompt::initial_thread_ends(*current_thread);
  retire_root(root_of(*current_thread));
  current_thread = nullptr;
}

/// The threads of all teams are gone; the one that is left starts over, with the ICVs that it had.
void forked_child() {
  new (&roots_lock) sys::spin_lock;
  free_roots = nullptr;
  if (cold::any()) [[unlikely]]
    ompt::forked_child();
  thread* before = current_thread;
  current_thread = nullptr;
  if (before == nullptr) return;
  icv_set const icv = icvs(*before);
  own_icvs(adopt_thread()) = icv;
}

std::atomic<bool> started{false};
int cpus_at_start = 0;  // written before anybody has a thread

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // with default member initialisers, but otherwise plain
/// For `amity dump` and debuggers. The variable is as far from the thread pointer in all threads (initial-exec).
void describe_threads() noexcept {
  auto const at = [](std::size_t offset) { return static_cast<std::uint32_t>(offset); };
  sched::threads_of_report = {
      reinterpret_cast<std::intptr_t>(&current_thread) - static_cast<std::intptr_t>(sys::thread_pointer()),
      at(offsetof(thread, number)), at(offsetof(thread, team)), at(offsetof(team, size)), at(offsetof(team, level))};
}
#pragma GCC diagnostic pop

[[gnu::cold]] void start_runtime() noexcept {
  apply_settings();
  if (environment().warnings) warn_of_confined_ranks(environment());
  throttle_tasks = environment().task_throttling;
  inherit_float_control = environment().inherit_float_control;
  displays_affinity = environment().display_affinity;
  cpus_at_start = sys::cpu_mask::of_calling_thread().count();
  sched::mark_runtime_code(reinterpret_cast<const void*>(&start_runtime));
  sched::on_fork_child(forked_child);
  sched::on_guest_exit(guest_ends);
  watch_waits();
  describe_threads();
  started.store(true, std::memory_order_relaxed);  // read at exit, by the thread that exits
}

}  // namespace

thread& adopt_thread() noexcept {
  static bool const once = (start_runtime(), true);
  static_cast<void>(once);
  sched::fiber* f = sched::self();
  root& r = acquire_root();
  r.first.fiber = f;
  begin_implicit(r.first, nullptr, initial_icvs());
  r.first.enclosing = nullptr;
  r.first.place = {};
  r.first.bound = binding::none;
  if (threads_are_bound()) place_initial(r.first);
  current_thread = &r.first;
  if (cold::any()) [[unlikely]]
    ompt::initial_thread_begins(r.first);
  return r.first;
}

void descend(icv_set& icv, int level, int bind) noexcept {
  const settings& env = environment();
  if (level < env.num_threads_levels) icv.num_threads = env.num_threads[level];
  if (level < env.bind_levels)
    icv.bind = env.bind[level];
  else if (bind >= 0 && icv.bind != proc_bind::false_)
    icv.bind = static_cast<proc_bind>(bind);
}

std::uint32_t next_global_number() noexcept {
  static std::atomic<std::uint32_t> given{0};
  return given.fetch_add(1, std::memory_order_relaxed);
}

bool runtime_started() noexcept { return started.load(std::memory_order_relaxed); }

int processors_of(const thread& t) noexcept {
  int const all = sched::concurrency();
  if (threads_are_bound() || t.team->leader_outside != nullptr || t.enclosing != nullptr) return all;
  int const own = sys::cpu_mask::of_calling_thread().count();
  return own > 0 && own < cpus_at_start && own < all ? own : all;
}

int take_from_group(thread& t, int wanted) noexcept {
  std::atomic<int>& threads = root_of(t).threads;
  int const limit = icvs(t).thread_limit;
  int taken, before = threads.load(std::memory_order_relaxed);
  do {
    taken = limit - before < wanted ? limit - before : wanted;
    if (taken <= 0) return 0;
  } while (!threads.compare_exchange_weak(before, before + taken, std::memory_order_relaxed));
  return taken;
}

void give_to_group(thread& t, int threads) noexcept {
  root_of(t).threads.fetch_sub(threads, std::memory_order_relaxed);
}

namespace {

/// The root of what `t` runs as a device or as a team of a league. It stays, so that its next region finds its team.
root& root_apart(thread& t) noexcept {
  if (t.apart == nullptr) {
    root& r = acquire_root();
    r.first.enclosing = &t;
    t.apart = &r.own;
  }
  return *reinterpret_cast<root*>(t.apart);  // the team is the root's first member
}

}  // namespace

thread& enter_device() noexcept {
  thread& before = this_thread();
  root& r = root_apart(before);
  r.threads.store(1, std::memory_order_relaxed);
  r.first.fiber = before.fiber;
  r.first.gtid = before.gtid;
  r.first.place = before.place;
  r.first.bound = before.team->leader_outside == nullptr ? before.bound : binding::none;
  icv_set icv = initial_icvs();
  icv.default_device = icvs(before).default_device;
  begin_implicit(r.first, nullptr, icv);
  current_thread = &r.first;
  return before;
}

void leave_device(thread& before) noexcept {
  complete_descendants(*current_thread);
  if (cold::any()) [[unlikely]]
    race::descendants_end(*current_thread);
  if (before.team->leader_outside == nullptr) before.bound = current_thread->bound;
  current_thread = &before;
}

}  // namespace amity::omp
