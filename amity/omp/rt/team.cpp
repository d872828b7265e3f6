#include "amity/omp/rt/team.hpp"

#include <stdlib.h>

#include "amity/base/private_memory.hpp"
#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/affinity_format.hpp"
#include "amity/omp/rt/cancel.hpp"
#include "amity/omp/rt/initial.hpp"
#include "amity/omp/rt/lower.hpp"
#include "amity/omp/rt/members.hpp"
#include "amity/omp/rt/placement.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/wait.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/pool.hpp"

namespace amity::omp {

__thread thread* current_thread = nullptr;

namespace {

using std::memory_order_relaxed;
using std::memory_order_seq_cst;

/// The leader's side: wakes those members.
[[gnu::cold, gnu::noinline]] void tell_region_end(thread& leader, team& tm) noexcept {
  if (leader.in_league) return race::region_joins(tm);
  tm.closed.store(tm.epoch.load(memory_order_relaxed), memory_order_seq_cst);  // pairs with await_region_end
  notify(tm, tm.dock_parked);
  race::region_joins(tm);
  ompt::join_ends(leader);
  current_thread = tm.leader_outside;  // a tool may ask where it is
  ompt::region_ends(*tm.leader_outside, tm);
}

/// num_threads with a list: the implicit tasks of `inner` get the next number of it.
[[gnu::cold, gnu::noinline]] void hand_down_counts(thread& t, team& inner, icv_set& icv) noexcept {
  bool const own = t.pushed_inner.next != nullptr;
  inner.inner = own ? t.pushed_inner : t.team->inner;
  t.pushed_inner = {};
  if (!own) inner.inner.owned = nullptr;
  if (inner.inner.left > 0) {
    icv.num_threads = *inner.inner.next++;
    --inner.inner.left;
  } else {
    icv.num_threads = icvs(t).num_threads;  // the list has taken the place of the environment's
  }
}

[[gnu::cold, gnu::noinline]] void forget_counts(team& tm) noexcept {
  base::give_back(tm.inner.owned);
  tm.inner = {};
}

}  // namespace

void display_if_changed(const thread& t) noexcept {
  struct place_in_team {
    int level, size, number, place;
    unsigned placements;  // if one thread of the team moves, all are told of
    bool operator==(const place_in_team&) const = default;
  };
  static __thread place_in_team before;  // of the identity, which has several `thread`s
  place_in_team const now{t.team->level, t.team->size, t.number, t.place.number, t.team->placements};
  if (now == before) return;
  before = now;
  display_affinity(t);
}

namespace {

/// A line that is not written stays in the members' caches.
template <class T>
void write_if_other(T& to, const T& value) noexcept {
  if (!(to == value)) to = value;
}

/// Begins a region on the team `tm` of `t`. `taken`: how many of its members are counted in the contention group.
/// `given`: the ICVs of the implicit tasks; null: they follow from the caller's.
[[gnu::always_inline]] inline thread& open_dock(thread& t, team& tm, int taken, const region_work& work,
                                                const icv_set* given = nullptr) noexcept {
  thread& leader = *tm.members[0];
  trace::count(t.fiber->on->stats.regions);
  static_cast<region_call&>(tm.work) = work;
  write_if_other<region_terms>(tm.work, work);
  write_if_other(tm.from_group, taken);
  if (cold::any()) [[unlikely]] {
    if (!work.league) ompt::team_forms(t, tm);
    race::region_forks(tm);
  }
  icv_set icv = icvs(t);
  descend(icv, tm.level, work.bind);
  if (t.pushed_inner.next != nullptr || t.team->inner.next != nullptr) [[unlikely]]
    hand_down_counts(t, tm, icv);
  if (given != nullptr) icv = *given;
  write_if_other(tm.icv, icv);
  tm.first.loop = leader.loops_met;
  tm.first.single = leader.singles_met;
  tm.first.arrival = leader.arrivals_before;
  tm.joined.store(0, memory_order_relaxed);
  if (tm.crowded) sched::arm_monitor();
  tm.epoch.store(epoch_of(next_epoch_number(tm), tm.here),
                 memory_order_seq_cst);  // opens the dock; pairs with member_main
  current_thread = &leader;
  begin_region(leader, tm);
  release(tm, tm.dock_parked);
  return leader;
}

/// Begins a region with members in other processes, if it is to have some.
[[gnu::cold, gnu::noinline]] thread* open_across(thread& t, int threads, const region_work& work) noexcept {
  if (threads == 1) return nullptr;
  bool const limited = icvs(t).thread_limit != unlimited_threads;
  int const taken = limited ? take_from_group(t, threads - 1) : 0;
  team* const tm = cluster::team_for(t, limited ? taken + 1 : threads, work);
  if (tm != nullptr) {
    region_work lower = work;
    tm->run_of_abi = work.run;
    lower.run = run_lower;
    thread& leader = open_dock(t, *tm, taken, lower);
    cluster::has_begun(*tm);
    return &leader;
  }
  if (taken != 0) give_to_group(t, taken);
  return nullptr;
}

}  // namespace

thread& open_region(thread& t, int threads, const region_work& work) noexcept {
  if (cold::any()) [[unlikely]] {
    ompt::region_begins(t);
    if (thread* const leader = open_across(t, threads, work)) return *leader;
  }
  bool const limited = icvs(t).thread_limit != unlimited_threads && threads > 1;
  int const taken = limited ? take_from_group(t, threads - 1) : 0;
  if (limited) threads = taken + 1;
  team* hot = nullptr;
  if (threads > 1) {
    hot = t.hot;
    if (hot == nullptr || hot->size != threads || hot->placed.leader.number >= 0) [[unlikely]]
      hot = &hot_team(t, threads, policy_for(t, work.policy));
  }
  if (hot == nullptr || hot->size == 1) {  // one thread was asked for, or is all that there is
    if (taken != 0) give_to_group(t, taken);
    thread& inner = begin_serial(t, work.bind);
    inner.team->work = work;
    return inner;
  }
  return open_dock(t, *hot, taken, work);
}

void close_region(thread& leader) noexcept {
  team& tm = *leader.team;
  if (tm.size == 1) {
    end_serial(leader);
    return;
  }
  if (tm.cancellable) [[unlikely]]
    end_cancellable_region(leader);
  complete_region(leader);
  wait_in_team<meanwhile::run_tasks>(
      leader, tm, tm.leader_parked, [&] { return static_cast<int>(tm.joined.load(memory_order_seq_cst)) == tm.joins; });
  if (cold::observed()) [[unlikely]]
    tell_region_end(leader, tm);
  if (tm.cancellable) [[unlikely]]
    forget_cancellation(leader);
  leader.arrivals_before += leader.barriers_met * static_cast<std::uint32_t>(tm.reports);
  current_thread = tm.leader_outside;
  if (tm.from_group != 0) [[unlikely]]
    give_to_group(*current_thread, tm.from_group);
  if (tm.resets) [[unlikely]]
    unsettle(*current_thread);
  if (tm.inner.next != nullptr) [[unlikely]]
    forget_counts(tm);
}

void fork(thread& t, int threads, const region_work& work) noexcept {
  thread& leader = open_region(t, threads, work);
  leader.team->work.run(leader, leader.team->work);
  close_region(leader);
}

void run_part(thread& t, team& tm, const region_work& work, const icv_set& icv) noexcept {
  thread& leader = open_dock(t, tm, 0, work, &icv);
  tm.work.run(leader, tm.work);
  close_region(leader);
}

bool fork_league(thread& t, int leaders, const region_work& work) noexcept {
  team& tm = hot_team(t, leaders, t.place.number >= 0 ? environment().teams_bind : policy_for(t, -1));
  if (tm.size == 1) return false;
  thread& leader = open_dock(t, tm, 0, work);
  tm.work.run(leader, tm.work);
  close_region(leader);
  return true;
}

thread& begin_serial(thread& t, int bind) noexcept {
  team* tm = t.serial;
  if (tm == nullptr) {
    tm = make_team_of_one(t);
    t.serial = tm;
  }
  if (t.place.number >= 0) [[unlikely]]
    settle(t);
  trace::count(t.fiber->on->stats.serial);
  tm->leader_outside = &t;
  tm->level = t.team->level + 1;
  tm->active_level = t.team->active_level;
  thread& inner = *tm->members[0];
  inner.fiber = t.fiber;
  inner.gtid = t.gtid;
  inner.place = t.place;
  icv_set icv = icvs(t);
  descend(icv, tm->level, bind);
  if (t.pushed_inner.next != nullptr || t.team->inner.next != nullptr) [[unlikely]]
    hand_down_counts(t, *tm, icv);
  begin_implicit(inner, t.current, icv);
  if (cold::any()) [[unlikely]] {
    ompt::team_forms(t, *tm);
    race::region_begins(inner);
    current_thread = &inner;
    ompt::implicit_task_begins(inner);
  }
  current_thread = &inner;
  if (displays_affinity) [[unlikely]]
    display_if_changed(inner);
  return inner;
}

void end_serial(thread& t) noexcept {
  complete_descendants(t);
  if (t.team->cancellable) [[unlikely]] {
    end_cancellable_region(t);
    forget_cancellation(t);
  }
  if (cold::any()) [[unlikely]] {
    race::descendants_end(t);
    ompt::serial_ends(t);
    current_thread = t.team->leader_outside;
    ompt::region_ends(*t.team->leader_outside, *t.team);
  }
  if (t.team->inner.next != nullptr) [[unlikely]]
    forget_counts(*t.team);
  current_thread = t.team->leader_outside;
}

int choose_threads(thread& t, int requested, bool if_clause) noexcept {
  if (cold::any()) [[unlikely]]
    ompt::asks_for(t, if_clause ? requested : 1);
  if (!if_clause || requested == 1) return 1;
  const icv_set& icv = icvs(t);
  if (t.team->active_level >= icv.max_active_levels) return 1;
  int threads = requested > 0 ? requested : icv.num_threads;
  if (icv.dynamic && threads > sched::concurrency()) threads = sched::concurrency();
  int const limit = icv.thread_limit;
  if (threads > limit) threads = limit;
  return threads < 1 ? 1 : threads;
}

}  // namespace amity::omp
