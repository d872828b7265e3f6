#include "amity/omp/rt/members.hpp"

#include <stdlib.h>
#include <string.h>

#include <new>

#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/rt/arrival.hpp"
#include "amity/omp/rt/cancel.hpp"
#include "amity/omp/rt/lower.hpp"
#include "amity/omp/rt/outside.hpp"
#include "amity/omp/rt/placement.hpp"
#include "amity/omp/rt/wait.hpp"
#include "amity/omp/rt/watch.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/float_control.hpp"

namespace amity::omp {

/// What everybody does before it reports that its part of the region is over, where somebody observes.
void complete_observed(thread& t) noexcept {
  if (!t.in_league) ompt::join_begins(t);
  complete_descendants(t);
  race::descendants_end(t);
  race::region_ends(t);
  if (cold::spread()) {
    cluster::enters();
    cluster::ends_part(t);
  }
  team& tm = *t.team;
  if (tm.outside_joins && t.index == 0) await_joins_lower(t);
}

namespace {

using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_seq_cst;

template <class T>
T* make(std::size_t count = 1) noexcept {
  std::size_t const size = sizeof(T) * count;
  void* memory = base::take_private(size, alignof(T));
  if (memory == nullptr) base::fatal("out of memory for an OpenMP team (%zu bytes)", size);
  return new (memory) T[count];
}

team* make_team() noexcept {
  auto* tm = make<team>();
  for (std::uint32_t i = 0; i < loop_ring::size; ++i) tm->loops.entry[i].sequence.store(2 * i, memory_order_relaxed);
  tm->cancellable = environment().cancellation;
  return tm;
}

thread* make_thread(team& tm, int index) noexcept {
  auto* t = make<thread>();
  t->team = &tm;
  t->index = t->number = index;
  t->gtid = next_global_number();
  t->current = &t->implicit;
  t->implicit.owner.store(t, memory_order_relaxed);  // a tool may ask before the first region
  return t;
}

void drop_hot_team(thread& leader) noexcept;

// --- a member's life

void wake_leader(team& tm) noexcept {
  if (tm.leader_parked.load(memory_order_seq_cst) != 0 && tm.leader_parked.exchange(0, memory_order_seq_cst) != 0)
    sched::unpark(tm.members[0]->fiber, sched::wake::then_parks);
}

/// The last one to join of those who share the leader's carrier.
void watch_join(thread& t, team& tm, int joins) noexcept {
  auto const over = [&] { return static_cast<int>(tm.joined.load(memory_order_seq_cst)) == joins; };
  if (!look_out(*t.fiber, tm.leader_watched, over, [] { return false; })) return;
  keep_watch(tm.leader_watched);
  wake_leader(tm);
}

/// Returns the member's group if it was the last one of it, and the leader has yet to open the dock for it.
arrival_group* join_as_member(thread& t, team& tm) noexcept {
  if (tm.cancellable) [[unlikely]]
    end_cancellable_region(t);
  complete_region(t);
  if (cold::any()) [[unlikely]]
    ompt::member_reports(t);
  arrival_group& g = tm.group[t.group];
  if (!last_of_group(g.joined, g.members)) return nullptr;
  // Before the report: after it the leader may be forming another team.
  int const joins = tm.joins;
  bool const crowded = tm.crowded;
  bool const leader_has_group = !tm.leader_apart;
  bool const with_leader = t.group == 0 && leader_has_group;
  // seq_cst: acq_rel for the members' work, Dekker for leader_parked (wait.hpp)
  if (static_cast<int>(tm.joined.fetch_add(1, memory_order_seq_cst)) + 1 != joins) {
    if (crowded && with_leader) watch_join(t, tm, joins);
  } else if (with_leader || !(crowded && leader_has_group) ||
             tm.leader_watched.load(memory_order_seq_cst) == 0) {  // pairs with look_out
    // In other teams nobody looks out, and the flag may be set by somebody late, from what the team was before.
    wake_leader(tm);
  }
  return crowded && !with_leader ? &g : nullptr;
}

/// For an OMPT tool: a member's implicit task ends with its region, not with the next one's begin.
[[gnu::cold, gnu::noinline]] void await_region_end(thread& t, team& tm) noexcept {
  if (t.in_league) return;
  wait_in_team<meanwhile::docked>(t, tm, tm.dock_parked, [&] {
    return tm.closed.load(memory_order_seq_cst) == t.epoch_seen ||  // pairs with tell_region_end
           tm.epoch.load(memory_order_seq_cst) != t.epoch_seen;     // as in member_main
  });
  ompt::join_ends(t);
}

/// The last one of `before` to join, in the dock. False: it has to wait like the others. The leader may be giving the
/// members other groups; the old ones stay in memory, and nothing else of them is touched.
template <class Condition>
bool watch_dock(thread& t, team& tm, arrival_group& before, const Condition& opened) noexcept {
  if (!look_out(*t.fiber, before.watched, opened, [] { return false; })) return false;
  if (is_dismissal(tm.epoch.load(memory_order_acquire))) return true;  // all are told; pairs with dismiss
  if (tm.crowded) go_on(t, tm);
  return true;
}

/// A function of its own: within a member's life it would take registers from those that nobody observes.
template <class Condition>
[[gnu::cold, gnu::noinline]] void wait_observed(thread& t, team& tm, const Condition& opened) noexcept {
  wait_in_team<meanwhile::docked_and_observed>(t, tm, tm.dock_parked, opened);
}

/// A member's life: dock, region, join, and again, until the team has no use for it.
void member_main(void* argument) {
  thread& t = *static_cast<thread*>(argument);
  team& tm = *t.team;
  current_thread = &t;
  sys::set_float_control(tm.float_control);  // as a thread that the leader has just made
  if (cold::any()) [[unlikely]]
    ompt::worker_begins(t);
  arrival_group* group = nullptr;  // whose last one it was to join
  for (;;) {
    auto const opened = [&] { return tm.epoch.load(memory_order_seq_cst) != t.epoch_seen; };  // pairs with open_dock
    if (group == nullptr || !watch_dock(t, tm, *group, opened)) {
      if (cold::observed()) [[unlikely]]
        wait_observed(t, tm, opened);
      else
        wait_in_team<meanwhile::docked>(t, tm, tm.dock_parked, opened);
    }
    t.epoch_seen = tm.epoch.load(memory_order_acquire);
    if (t.index >= size_in(t.epoch_seen)) break;
    group = nullptr;
    if (is_dismissal(t.epoch_seen)) continue;
    begin_region(t, tm);
    tm.work.run(t, tm.work);
    group = join_as_member(t, tm);
    if (cold::observed()) [[unlikely]]
      await_region_end(t, tm);
  }
  drop_hot_team(t);
  if (cold::any()) [[unlikely]]
    ompt::worker_leaves(t);
  current_thread = nullptr;  // the identity's destructors may come back to OpenMP (sched::end_idle_shells)
  sched::fiber* f = t.fiber;
  sched::withdraw(*f);
  sched::release_shell(f);
  sched::fiber* const leader = tm.members[0]->fiber;
  // Release: the last touch of the team and of `t`; pairs with dismiss.
  if (tm.leaving.fetch_sub(1, memory_order_acq_rel) == 1) sched::unpark(leader);
}

// --- placing members on carriers

/// Takes the members out of their places and gives these back: in this order, and all before anybody gets a new one,
/// because the place that one leaves may be the one that another gets, in this team or in one that forks meanwhile.
void release_groups(team& tm) noexcept {
  for (int i = 1; i < tm.here; ++i) sched::withdraw(*tm.members[i]->fiber);
  for (int g = 0; g < tm.groups; ++g)
    if (tm.group[g].permits != nullptr && !tm.group[g].permits->exclusive) sched::release_group(tm.group[g].permits);
  tm.groups = 0;
}

/// An array that was outgrown stays: a member on its way to the dock may still read it to wake the leader.
void keep_array(team& tm, const void* array) noexcept {
  if (array == nullptr) return;
  auto* const o = make<team::outgrown>();
  *o = {tm.old_arrays, array};
  tm.old_arrays = o;
}

/// Makes room for `size` members; keeps those that are there.
void reserve_members(team& tm, int size) noexcept {
  if (size <= tm.capacity) return;
  if (size < 2 * tm.capacity) size = 2 * tm.capacity;
  auto** members = make<thread*>(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) members[i] = i < tm.capacity ? tm.members[i] : nullptr;
  keep_array(tm, tm.members);
  tm.members = members;
  tm.capacity = size;
}

/// Makes room for the groups of `size` members; forgets those that are there.
void reserve_groups(team& tm, int size) noexcept {
  if (size <= tm.group_capacity) return;
  if (size < 2 * tm.group_capacity) size = 2 * tm.group_capacity;
  keep_array(tm, tm.group);
  tm.group = make<arrival_group>(static_cast<std::size_t>(size));
  tm.group_capacity = size;
}

/// Finds an identity for each member up to `size` that has none. Returns the size reached, less than `size` if the
/// system refuses threads. Room is made as they come, because `size` may be beyond all reason.
int recruit(team& tm, const placement& where, int size) noexcept {
  const sched::carrier* home_before = nullptr;
  for (int i = tm.here; i < size; ++i) {
    const sched::carrier* const home = where.home(i);  // null: its own OS thread
    bool const helper = home != nullptr && home != home_before && home->kind == sched::carrier_kind::helper;
    home_before = home;
    sched::fiber* const f = sched::acquire_shell(helper ? home->slot : -1);
    if (f == nullptr) return i;
    reserve_members(tm, i + 1);
    thread*& t = tm.members[i];
    if (t == nullptr) t = make_thread(tm, i);
    t->fiber = f;
    t->epoch_seen = tm.epoch.load(memory_order_relaxed);
  }
  return size;
}

void count_reports(team& tm) noexcept {
  tm.reports = tm.groups + (tm.leader_apart ? 1 : 0) + tm.outside;
  tm.joins = tm.groups + (tm.outside_joins ? 1 : 0);
}

/// Gives every member up to `size` its place; those from `recruits` on begin their lives there. No region runs, and all
/// members are docked. True if some members share a carrier.
bool place_members(team& tm, const placement& where, int recruits, int size) noexcept {
  tm.float_control = sys::float_control();
  const sched::carrier* home_before = nullptr;
  const sched::carrier* neighbours = &where.own();
  bool shared = false, landing = false;
  int bit = sched::ready_group::capacity;
  arrival_group* g = nullptr;
  for (int i = 1; i < size; ++i) {
    sched::carrier* const home = where.home(i);
    thread* const t = tm.members[i];
    bool const first_there = home == nullptr || home != home_before;
    shared = shared || (home != nullptr && home == neighbours);
    neighbours = home;
    t->place = where.place(i);
    where.bind(*t, home);
    if (first_there || bit == sched::ready_group::capacity) {
      g = &tm.group[tm.groups++];
      g->permits = home == nullptr ? &t->fiber->native->solo : sched::acquire_group(*home);
      g->mask = 0;
      g->members = g->arriving = 0;
      g->watched.store(0, memory_order_relaxed);  // with the epoch
      bit = 0;
      home_before = home;
    }
    t->group = static_cast<std::uint32_t>(tm.groups - 1);
    landing = sched::assign(*t->fiber, *g->permits, bit, i >= recruits ? member_main : nullptr, t) || landing;
    g->mask |= std::uint64_t{1} << bit++;
    ++g->members;
    ++g->arriving;
  }
  if (landing) sched::await_landings();
  tm.leader_apart = size == 1 || where.home(1) != &where.own();
  count_reports(tm);
  tm.leader_watched.store(0, memory_order_relaxed);
  if (!tm.leader_apart) {
    tm.members[0]->group = 0;
    ++tm.group[0].arriving;
  }
  return shared;
}

/// Lets the members leave whose `index` is not below `size`, and forgets them.
void dismiss(team& tm, int size) noexcept {
  if (tm.here <= size) return;
  tm.leaving.store(static_cast<std::uint32_t>(tm.here - size), memory_order_relaxed);
  tm.epoch.store(epoch_of(next_epoch_number(tm), size, dismissal), memory_order_seq_cst);  // pairs with member_main
  unpark_team(tm);
  while (tm.leaving.load(memory_order_acquire) != 0) sched::park();  // pairs with member_main
  for (int i = size; i < tm.here; ++i) tm.members[i]->fiber = nullptr;
  tm.here = tm.size = size;
}

/// Gives the shells of a thread's hot team back to the pool. What is left serves its next region.
void drop_hot_team(thread& leader) noexcept {
  if (leader.serial != nullptr) drop_hot_team(*leader.serial->members[0]);
  if (leader.apart != nullptr) drop_hot_team(*leader.apart->members[0]);
  for (team* const led : {leader.hot, leader.across})
    if (led != nullptr) {
      drop_hot_team(*led->members[0]);  // the same identity led inner teams too
      dismiss(*led, 1);
    }
}

/// How many of the members, counted from 0, are where a team placed by `where` has them.
int members_in_place(const team& tm, const placement& where, int size) noexcept {
  int i = 1;
  while (i < tm.here && i < size && where.place(i).number == tm.members[i]->place.number) ++i;
  return i;
}

constexpr std::uint64_t ask_again_us = 200'000;

/// The system refused a team of `size` a moment ago.
bool is_known_to_be_refused(const team& tm, int size) noexcept {
  return tm.refused == size && tm.here < size &&
         sys::ticks() - tm.refused_at < sys::ticks_of_microseconds(ask_again_us);
}

[[gnu::cold, gnu::noinline]] void remember_refusal(team& tm, int size) noexcept {
  tm.refused = size;
  tm.refused_at = sys::ticks();
  static std::atomic<bool> said{false};
  if (said.exchange(true, memory_order_relaxed)) return;
  sched::refusal const why = sched::last_refusal();
  base::warn(
      "the system refused %s (%s); this parallel region has %d of the %d threads that it asked for, and others "
      "may be smaller too",
      why.what, strerror(why.error), tm.here, size);
}

/// A hot team of `leader`, which is kept in `tm`.
team& formed(team*& tm, thread& leader, int size, proc_bind policy) noexcept {
  if (tm == nullptr) {
    tm = make_team_of_one(leader);
    tm->leader_outside = &leader;
  }
  settle(leader);
  tm->resets = leader.bound == binding::done && environment().resets_binding;
  // Nearly always the same: a member of the region before may be about to wake it.
  if (thread& inner = *tm->members[0]; inner.fiber != leader.fiber) inner.fiber = leader.fiber;
  tm->members[0]->gtid = leader.gtid;
  tm->level = leader.team->level + 1;
  tm->active_level = leader.team->active_level + 1;
  placement const where(leader, size, policy);
  if ((tm->here == size || is_known_to_be_refused(*tm, size)) && where == tm->placed) return *tm;
  // A bound thread's OS thread is bound as well, and may be what another team counts on: a member that has to move
  // leaves.
  dismiss(*tm, members_in_place(*tm, where, size));
  release_groups(*tm);
  tm->members[0]->place = where.place(0);
  if (!(where == tm->placed)) ++tm->placements;
  tm->placed = where.summary();
  int const recruits = tm->here;
  // Threads that share a carrier may need the monitor to get on; without it there can be none.
  int const possible =
      sched::identity_mode() == sys::thread_pointer_mode::fixed || !where.crowded() || sched::ensure_monitor()
          ? size
          : recruits;
  tm->here = recruit(*tm, where, possible);
  reserve_groups(*tm, tm->here);
  bool shared;
  tm->size = tm->here;  // as it is in a team with none in other processes; else that is told later (spread)
  if (tm->here == size || leader.place.number >= 0) {
    shared = place_members(*tm, where, recruits, tm->here);
  } else {
    // As many as they are, they get their shares. Those who are bound stay where they would have been.
    shared = place_members(*tm, placement(leader, tm->here, policy), recruits, tm->here);
  }
  if (tm->here < size) remember_refusal(*tm, size);
  tm->crowded = shared || where.crowded();
  tm->dock_parked.store(1, memory_order_relaxed);                      // those that are parked are at old places
  if (tm->crowded) tm->barrier_parked.store(1, memory_order_relaxed);  // for good (release_team)
  return *tm;
}

}  // namespace

void report_join_from_outside(team& tm) noexcept {
  // As in join_as_member, for one that is in no group.
  int const joins = tm.joins;
  bool const watches = tm.crowded && !tm.leader_apart;
  if (static_cast<int>(tm.joined.fetch_add(1, memory_order_seq_cst)) + 1 != joins) return;
  if (!watches || tm.leader_watched.load(memory_order_seq_cst) == 0) wake_leader(tm);  // pairs with look_out
}

team& hot_team(thread& leader, int size, proc_bind policy) noexcept { return formed(leader.hot, leader, size, policy); }

team& hot_team_across(thread& leader, int here, proc_bind policy, bool forks) noexcept {
  team& tm = formed(leader.across, leader, here, policy);
  tm.outside = 1;
  tm.outside_joins = forks;
  count_reports(tm);
  return tm;
}

void spread(team& tm, int from, int size) noexcept {
  tm.size = size;
  if (tm.numbered_from == from && tm.members[tm.here - 1]->number == from + tm.here - 1) return;
  tm.numbered_from = from;
  for (int i = 0; i < tm.here; ++i) tm.members[i]->number = from + i;
}

team* make_team_of_one(thread& outside) noexcept {
  team* const tm = make_team();
  reserve_members(*tm, 1);
  tm->members[0] = make_thread(*tm, 0);
  tm->members[0]->enclosing = &outside;
  return tm;
}

void release_teams(thread& initial) noexcept { drop_hot_team(initial); }

}  // namespace amity::omp
