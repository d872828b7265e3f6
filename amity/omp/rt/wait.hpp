#pragma once

/// How a member waits for its team: spin in place for a moment if the team has a core for each, run tasks if there are
/// any, then park. The thread that makes the condition true stores it seq_cst and calls notify() with the same flag.
///
/// The flag says "somebody may be parked". Dekker: the waiter sets the flag, then looks at the condition; the notifier
/// makes the condition true, then looks at the flag. The notifier clears it before it gives the permits, so that a
/// waiter of the next round whose flag it took by mistake is woken too, finds nothing and sets the flag again.

#include "amity/omp/rt/task.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/sched/cores/spin.hpp"
#include "amity/sched/loop/park.hpp"

namespace amity::omp {

/// Some other member was released and no carrier has taken it yet.
[[nodiscard]] bool has_unclaimed_members(const team& tm, const thread& me) noexcept;

/// Permits for all members, the leader too.
void unpark_team(team& tm) noexcept;

/// The same in a crowded team, but for groups that see to themselves (watch.hpp).
void release_team(team& tm) noexcept;

/// Barriers are task scheduling points; a wait for a loop or an ordered turn is none, and a task run there could need
/// the very thing that the thread holds. In the dock, between regions, the leader may be giving the members new places:
/// the team's groups must not be looked at, and nobody there waits for another member anyway. While somebody observes,
/// a member in the dock leaves tasks alone: they can only be the next region's, which it has not begun.
enum class meanwhile : std::uint8_t { run_tasks, docked, docked_and_observed, nothing };
[[nodiscard]] constexpr bool runs_tasks(meanwhile what) noexcept {
  return what == meanwhile::run_tasks || what == meanwhile::docked;
}
[[nodiscard]] constexpr bool is_docked(meanwhile what) noexcept {
  return what == meanwhile::docked || what == meanwhile::docked_and_observed;
}

/// The part before parking. False: it is time to park.
template <meanwhile What, class Condition>
bool spin_in_team(thread& t, team& tm, sched::spinner& spin, Condition& done) noexcept {
  if (tm.crowded) return false;  // the others need the core
  constexpr bool tasks = runs_tasks(What);
  constexpr std::uint64_t patience_ns = 500;  // a carrier that is awake takes a released fiber sooner than that
  do {
    if (done()) [[likely]] {
      spin.finished();
      return true;
    }
    if (tasks && team_tasks::invites(tm.tasks.queued.load(std::memory_order_acquire))) [[unlikely]] {
      while (!done() && run_queued_task(t, search::now_and_then)) spin.restart();
    }
    if (!is_docked(What) && spin.looked() &&
        (spin.waited() > sys::ticks_of_microseconds(patience_ns) / 1000 || spin.others_shared()) &&
        has_unclaimed_members(tm, t))
      break;
  } while (spin.once() || (tasks && t.tasks.is_pausing() && !spin.core_is_wanted()));
  return false;
}

/// Something to run, for a member that is going to park: nobody has proved that there is nothing. The member's own
/// queue may hold what nobody was told of (enqueue_next).
inline bool tasks_in_sight(const thread& t, const team& tm) noexcept {
  // seq_cst: pairs with tell (task_search.cpp)
  if (!tm.tasks.used.load(std::memory_order_seq_cst)) return false;
  return tm.tasks.queued.load(std::memory_order_seq_cst) != team_tasks::none || t.tasks.queue.size() != 0;
}

/// Others may take the member for one that runs no tasks, and wake it for some. Before the look for tasks; pairs with
/// look_at. A team without tasks is spared the fence: its first one wakes everybody.
inline void be_idle(thread& t, const team& tm) noexcept {
  // Two stores: where the order is no constant, gcc takes the strictest.
  if (tm.tasks.used.load(std::memory_order_relaxed))
    t.tasks.idle.store(true, std::memory_order_seq_cst);
  else
    t.tasks.idle.store(true, std::memory_order_relaxed);
}

/// Of an idle one. A producer that queued before it could see the flags has woken nobody.
inline void run_a_task_or_park(thread& t, team& tm) noexcept {
  if (!(tasks_in_sight(t, tm) && run_queued_task(t, search::thorough))) sched::park(*t.fiber);
}

/// The last part: parks unless there is something to do after all. The caller looks at its condition again.
template <meanwhile What, class Condition>
void park_in_team(thread& t, team& tm, std::atomic<std::uint32_t>& parked, Condition& done) noexcept {
  constexpr bool tasks = runs_tasks(What);
  if (tasks) be_idle(t, tm);
  // Pairs with notify. It is set already if it was so for another member: a store would only take the line from the
  // others. A notifier that clears it after this load wakes us as well.
  if (parked.load(std::memory_order_seq_cst) == 0) parked.store(1, std::memory_order_seq_cst);
  if (!done()) {
    if (tasks)
      run_a_task_or_park(t, tm);
    else
      sched::park(*t.fiber);
  }
  if (tasks) t.tasks.idle.store(false, std::memory_order_relaxed);
}

/// The first wait at a barrier of a member of a crowded team whose group is not complete: it is not over, and when it
/// is, the group gets its permits (release_team). So what all members look at is not looked at.
inline void park_for_group(thread& t, team& tm) noexcept {
  if (t.tasks.is_pausing()) return;
  be_idle(t, tm);
  run_a_task_or_park(t, tm);
  t.tasks.idle.store(false, std::memory_order_relaxed);
}

/// A member of a crowded team that found the team's tasks too short to be worth a theft sleeps for a moment, then looks
/// for longer ones. Until then nobody has to be woken for tasks.
template <class Condition>
void watch_tasks(thread& t, team& tm, std::atomic<std::uint32_t>& parked, Condition& done) noexcept {
  if (parked.load(std::memory_order_seq_cst) == 0) parked.store(1, std::memory_order_seq_cst);  // as park_in_team
  tm.tasks.watchers.fetch_add(1, std::memory_order_relaxed);
  if (!done()) park_for_pause(t);
  tm.tasks.watchers.fetch_sub(1, std::memory_order_seq_cst);  // before the look for tasks; pairs with tell
}

/// Blocks the calling member until `done()`, which must read with acquire order or stronger.
template <meanwhile What, class Condition>
void wait_in_team(thread& t, team& tm, std::atomic<std::uint32_t>& parked, Condition done) noexcept {
  constexpr bool tasks = runs_tasks(What);
  if (tm.crowded) {  // no spinning
    while (!done()) {
      constexpr bool may_watch = What == meanwhile::run_tasks;
      constexpr search how = may_watch ? search::unless_pausing : search::thorough;
      if (tasks && tasks_in_sight(t, tm) && run_queued_task(t, how)) continue;
      if (may_watch && t.tasks.is_pausing())
        watch_tasks(t, tm, parked, done);
      else
        park_in_team<What>(t, tm, parked, done);
    }
    return;
  }
  sched::spinner spin(*t.fiber);
  if (spin_in_team<What>(t, tm, spin, done)) return;
  while (!done()) {
    if (tasks && t.tasks.is_pausing()) {  // as after a wake that told of yet more short tasks
      spin.restart();
      if (spin_in_team<What>(t, tm, spin, done)) return;
    }
    if (tasks && tasks_in_sight(t, tm) && run_queued_task(t, search::thorough)) {
      spin.restart();
      if (spin_in_team<What>(t, tm, spin, done)) return;
      continue;
    }
    park_in_team<What>(t, tm, parked, done);
  }
  spin.finished();
}

/// After the condition was made true by a seq_cst operation. The calling member may go on elsewhere. In a crowded team
/// everybody parks every time: the flag is left as it is, or its line would go to and fro between those who set it and
/// those who clear it. A permit too many makes one later park return without cause.
inline void notify(team& tm, std::atomic<std::uint32_t>& parked) noexcept {
  if (parked.load(std::memory_order_seq_cst) == 0) [[likely]]  // pairs with park_in_team
    return;
  if (tm.crowded) return unpark_team(tm);
  if (parked.exchange(0, std::memory_order_seq_cst) == 0) return;
  unpark_team(tm);
  // What the caller does next may take long. It may also run on top of a leader that waited: that leader would wait
  // until the caller is done, with a core free.
  sched::give_way_if_home_is_free();
}

/// The same for what all members wait for: a barrier, a region.
inline void release(team& tm, std::atomic<std::uint32_t>& parked) noexcept {
  if (tm.crowded) return release_team(tm);
  notify(tm, parked);
}

}  // namespace amity::omp
