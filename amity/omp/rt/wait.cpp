#include "amity/omp/rt/wait.hpp"

#include <cstdint>

#include "amity/omp/rt/watch.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/park.hpp"

namespace amity::omp {

using std::memory_order_relaxed;
using std::memory_order_seq_cst;

bool has_unclaimed_members(const team& tm, const thread& me) noexcept {
  // The caller's own permit is a wake that came too late to be needed.
  std::uintptr_t const own = me.fiber->seat.load(memory_order_relaxed);
  for (int g = 0; g < tm.groups; ++g) {
    const sched::ready_group& permits = *tm.group[g].permits;
    std::uint64_t mask = tm.group[g].mask;
    if (sched::group_of(own) == &permits) mask &= ~sched::mask_of(own);
    // A member that runs may hold a permit from a wake that it did not wait for. Its carrier is not needed twice.
    for (mask &= permits.ready.load(memory_order_relaxed); mask != 0; mask &= mask - 1) {
      const sched::fiber* f = permits.members[__builtin_ctzll(mask)].load(memory_order_relaxed);
      if (f != nullptr && f->claimed.load(memory_order_relaxed) == 0) return true;
    }
  }
  return false;
}

namespace {

/// Permits for the members of group `g` but the caller: for oneself it would only make the next park return without
/// cause.
void unpark_group(team& tm, int g) noexcept {
  const thread* me = current_thread;
  std::uint64_t mask = tm.group[g].mask;
  if (me != nullptr && me->team == &tm && me->index != 0 && static_cast<int>(me->group) == g)
    mask &= ~sched::mask_of(me->fiber->seat.load(memory_order_relaxed));
  if (mask != 0)
    sched::unpark(*tm.group[g].permits, mask, tm.crowded ? sched::wake::crowd : sched::wake::unless_shared);
}

void unpark_leader(team& tm) noexcept {
  if (current_thread != tm.members[0])
    sched::unpark(tm.members[0]->fiber, tm.crowded ? sched::wake::crowd : sched::wake::now);
}

/// The caller's group in `tm`; -1: it is in none.
int group_of_caller(const team& tm) noexcept {
  const thread* me = current_thread;
  bool const in_one = me != nullptr && me->team == &tm && (me->index != 0 || !tm.leader_apart);
  return in_one ? static_cast<int>(me->group) : -1;
}

/// Permits for all members but the caller, as far as `is_told(g)` says so of their group.
template <class IsTold>
void unpark_groups(team& tm, int own, const IsTold& is_told) noexcept {
  // The caller's own group last: its members wait for the caller's core anyway.
  for (int i = 1; i <= tm.groups; ++i) {
    int const g = own + i < tm.groups ? own + i : own + i - tm.groups;
    if (is_told(g)) unpark_group(tm, g);
  }
  if (tm.leader_apart || is_told(0)) unpark_leader(tm);
  if (tm.crowded) sched::arm_monitor();
}

}  // namespace

void unpark_team(team& tm) noexcept {
  unpark_groups(tm, group_of_caller(tm), [](int) { return true; });
}

void release_team(team& tm) noexcept {
  int const own = group_of_caller(tm);
  // seq_cst: after the condition; pairs with look_out
  unpark_groups(tm, own, [&](int g) { return g == own || tm.group[g].watched.load(memory_order_seq_cst) == 0; });
}

void go_on(thread& t, team& tm) noexcept {
  keep_watch(tm.group[t.group].watched);
  unpark_group(tm, static_cast<int>(t.group));
  if (t.group == 0 && !tm.leader_apart) unpark_leader(tm);
  sched::arm_monitor();
}

}  // namespace amity::omp
