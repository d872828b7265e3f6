#include "amity/omp/rt/initial.hpp"

#include <stdlib.h>

#include <mutex>
#include <new>

#include "amity/base/report.hpp"
#include "amity/omp/ompt/hooks.hpp"
#include "amity/omp/rt/placement.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/ranks.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sched/park.hpp"
#include "amity/sched/pool.hpp"
#include "amity/sched/rescue.hpp"
#include "amity/sched/spin_lock.hpp"

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

sched::spin_lock roots_lock;
root* free_roots = nullptr;

root& acquire_root() noexcept {
  std::lock_guard lock(roots_lock);
  if (root* r = free_roots) {
    free_roots = r->next_free;
    r->threads.store(1, std::memory_order_relaxed);
    return *r;
  }
  void* memory = aligned_alloc(alignof(root), sizeof(root));
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
  if (ompt::on()) [[unlikely]]
    ompt::initial_thread_ends(*current_thread);
  retire_root(root_of(*current_thread));
  current_thread = nullptr;
}

/// The threads of all teams are gone; the one that is left starts over, with the ICVs that it had.
void forked_child() {
  new (&roots_lock) sched::spin_lock;
  free_roots = nullptr;
  if (ompt::on()) [[unlikely]]
    ompt::forked_child();
  thread* before = current_thread;
  current_thread = nullptr;
  if (before == nullptr) return;
  icv_set const icv = icvs(*before);
  icvs(adopt_thread()) = icv;
}

std::atomic<bool> started{false};

[[gnu::cold]] void start_runtime() noexcept {
  apply_settings();
  if (environment().warnings) warn_of_confined_ranks(environment());
  throttle_tasks = environment().task_throttling;
  displays_affinity = environment().display_affinity;
  sched::mark_runtime_code(reinterpret_cast<const void*>(&start_runtime));
  sched::on_fork_child(forked_child);
  sched::on_guest_exit(guest_ends);
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
  r.first.place = {};
  r.first.bound = binding::none;
  if (threads_are_bound()) place_initial(r.first);
  current_thread = &r.first;
  if (ompt::on()) [[unlikely]]
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

thread& enter_device() noexcept {
  thread& before = this_thread();
  root& r = acquire_root();
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
  if (before.team->leader_outside == nullptr) before.bound = current_thread->bound;
  retire_root(root_of(*current_thread));
  current_thread = &before;
}

namespace {

/// Bound threads: the teams of a league are distributed over the places as the threads of a region are
/// (KMP_TEAMS_PROC_BIND), and the thread that runs them goes from one to the next.
[[gnu::cold, gnu::noinline]] void move_team(thread& initial, thread_place to) noexcept {
  bool const moves = initial.bound != binding::none && initial.place.number != to.number;
  initial.place = to;
  if (moves) initial.bound = binding::due;
  settle(initial);
}

}  // namespace

void begin_league(thread& initial, int teams, int thread_limit) noexcept {
  if (initial.place.number >= 0) [[unlikely]] {
    initial.team->placed = {environment().teams_bind, initial.place};
    move_team(initial, distribute(initial.place, teams > 1 ? teams : 1, environment().teams_bind, 0));
  }
  if (thread_limit > 0) icvs(initial).thread_limit = thread_limit;
  initial.team->icv = icvs(initial);
  initial.league_size = teams > 1 ? teams : 1;
  initial.league_number = 0;
}

bool next_team(thread& initial) noexcept {
  complete_descendants(initial);
  if (++initial.league_number < initial.league_size) {
    icvs(initial) = initial.team->icv;  // what one team sets is nothing to the next
    if (team_placement const& league = initial.team->placed; league.leader.number >= 0) [[unlikely]]
      move_team(initial, distribute(league.leader, initial.league_size, league.policy, initial.league_number));
    return true;
  }
  if (initial.team->placed.leader.number >= 0) [[unlikely]] {
    move_team(initial, initial.team->placed.leader);
    initial.team->placed = {};
  }
  initial.league_size = 1;
  initial.league_number = 0;
  return false;
}

namespace {

/// The same for an OMPT tool.
[[gnu::cold, gnu::noinline]] void run_traced_league(thread& before, thread& initial, void (*run)(void*),
                                                    void* context) noexcept {
  ompt::league_begins(before, initial, initial.league_size);
  do {
    ompt::initial_task_begins(initial, true);
    run(context);
    complete_descendants(initial);
    ompt::initial_task_ends(initial, true);
  } while (next_team(initial));
  ompt::league_ends(before, initial);
}

}  // namespace

void run_league(int teams, int thread_limit, void (*run)(void*), void* context) noexcept {
  thread& before = enter_device();
  thread& initial = *current_thread;
  icvs(initial) = icvs(before);
  begin_league(initial, teams, thread_limit);
  if (ompt::on()) [[unlikely]] {
    run_traced_league(before, initial, run, context);
    leave_device(before);
    return;
  }
  do run(context);
  while (next_team(initial));
  leave_device(before);
}

}  // namespace amity::omp
