#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/arrival.hpp"
#include "amity/omp/rt/cancel.hpp"
#include "amity/omp/rt/outside.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/wait.hpp"
#include "amity/omp/rt/watch.hpp"
#include "amity/sched/loop/park.hpp"

namespace amity::omp {
namespace {

using std::memory_order_acquire;

/// A member of a crowded team that arrived, and was not the last one: its wait may be over afterwards.
inline void await_group(thread& t, team& tm, const arrival& mine) noexcept {
  arrival_group* const group = mine.completed_group();
  if (group == nullptr) return park_for_group(t, tm);
  auto const over = [&] { return mine.is_over(); };
  auto const tasks = [&] { return team_tasks::invites(tm.tasks.queued.load(memory_order_acquire)); };
  if (look_out(*t.fiber, group->watched, over, tasks)) go_on(t, tm);
}

/// From the arrival on; tasks are complete.
[[gnu::noinline]] void meet_at_barrier(thread& t, team& tm) noexcept {
  if (tm.size == 1) {
    if (tm.cancellable) [[unlikely]]
      end_construct_alone(tm);
    return;
  }
  arrival const mine(t, tm);
  if (!mine.was_last()) {
    if (tm.crowded) await_group(t, tm, mine);
    wait_in_team<meanwhile::run_tasks>(t, tm, tm.barrier_parked, [&] { return mine.is_over(); });
    if (!tm.crowded || mine.completed_group() == nullptr) return;
  }
  // It has let others go on, perhaps the leader beneath it.
  if (tm.crowded && sched::guests_go_first()) [[unlikely]]
    sched::give_way();
}

/// The same for a team with members in other processes, who come last. A function of its own, so that the other stays
/// as short as it is.
[[gnu::cold, gnu::noinline]] void meet_those_elsewhere(thread& t, team& tm) noexcept {
  arrival const mine(t, tm);
  if (mine.was_last_here()) cluster::all_are_here(tm);
  // One that is in no group gets no permit from itself, where it was the one that let all go on (O4).
  bool const must_look = mine.was_last_here() && mine.completed_group() == nullptr;
  if (tm.crowded && !must_look) await_group(t, tm, mine);
  auto const is_over_or_tasks = [&] {
    return mine.is_over() || team_tasks::invites(tm.tasks.queued.load(memory_order_acquire));
  };
  if (!tm.crowded && yield_until(is_over_or_tasks) && mine.is_over()) return;
  wait_in_team<meanwhile::run_tasks>(t, tm, tm.barrier_parked, [&] { return mine.is_over(); });
}

[[gnu::cold, gnu::noinline]] void observed_barrier(thread& t) noexcept {
  team& tm = *t.team;
  ompt::sync_kind const kind = ompt::barrier_begins(t);
  complete_descendants(t);
  race::descendants_end(t);
  std::uint32_t const round = t.barriers_met;
  race::barrier_arrives(tm, round);
  tm.outside == 0 ? meet_at_barrier(t, tm) : meet_those_elsewhere(t, tm);
  race::barrier_leaves(tm, round);
  ompt::barrier_ends(t, kind);
}

}  // namespace

void barrier(thread& t) noexcept {
  if (cold::any()) [[unlikely]]
    return observed_barrier(t);
  complete_descendants(t);
  meet_at_barrier(t, *t.team);
}

}  // namespace amity::omp
