#include "amity/omp/rt/cancel.hpp"

#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/arrival.hpp"
#include "amity/omp/rt/loop.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/taskgroup.hpp"
#include "amity/omp/rt/wait.hpp"
#include "amity/omp/rt/watch.hpp"

namespace amity::omp {

namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

cancel_state::by_round& words_of(team& tm, cancel_kind what) noexcept {
  return what == cancel_kind::sections ? tm.cancel.sections : tm.cancel.loops;
}

bool is_cancelled_in(const cancel_state::by_round& words, std::uint32_t round) noexcept {
  return words.in[round % 2].load(memory_order_acquire) == round + 1;  // pairs with cancel_construct
}

/// The innermost taskgroup around the current task, but for those that worksharing constructs open; null: none.
taskgroup* group_around(const thread& t) noexcept {
  for (scope* s = t.current->inner; s != nullptr; s = s->outer.load(memory_order_relaxed)) {
    if (s->kind != scope::kind_of::group) continue;
    auto* const g = static_cast<taskgroup*>(s);
    if (!g->of_construct) return g;
  }
  return nullptr;
}

/// Others that cancel it now name the same round, and the same loop.
void cancel_for_all(thread& t, cancel_kind what, std::uint64_t loop) noexcept {
  team& tm = *t.team;
  if (note_cancellation(tm, what, t.barriers_met, loop) && tm.outside != 0)
    cluster::cancels(tm, what, t.barriers_met, loop);
}

/// Loops that the compiler deals out itself leave no trace in the runtime, so the round of the barrier stands for
/// them.
void cancel_construct(thread& t, cancel_kind what) noexcept {
  if (t.loop.shared != nullptr) cancel_loop(t);
  cancel_for_all(t, what, t.loop.shared != nullptr && t.loop.across ? t.loop.number_across + 1 : 0);
}

/// The caller is about to leave the region. Its tasks may use variables that it leaves behind; those that have begun
/// are waited for.
void leave_region(thread& t) noexcept {
  if (t.current == &t.implicit) complete_descendants(t);
}

bool is_cancelled(const thread& t, cancel_kind what) noexcept {
  team& tm = *t.team;
  switch (what) {
    case cancel_kind::region:
      return is_region_cancelled(tm);
    case cancel_kind::taskgroup:
      return tm.cancelled.load(memory_order_relaxed) != 0 && is_dropped_in(tm, *t.current->inner);
    default:
      if (t.loop.shared != nullptr) return is_loop_cancelled(t);
      return is_cancelled_in(words_of(tm, what), t.barriers_met);
  }
}

/// Stands in for the caller, which has left the region: at barriers, where it is counted in, and in loops, where its
/// turns come up, until all members are through.
void attend(thread& t, team& tm) noexcept {
  auto const over = [&tm] {
    return static_cast<int>(tm.cancel.through.load(memory_order_seq_cst)) == tm.here + tm.outside;
  };
  while (!over()) {
    arrival const instead(t, tm);
    if (instead.was_last()) continue;
    if (instead.was_last_here()) [[unlikely]]
      cluster::all_are_here(tm);
    if (tm.crowded && instead.completed_group() != nullptr) {  // others count on it (watch.hpp)
      auto const gone = [&] { return instead.is_over(); };
      if (look_out(*t.fiber, instead.completed_group()->watched, gone, [] { return true; })) go_on(t, tm);
    }
    auto const released = [&] { return instead.is_over() || over(); };
    while (!released()) {
      if (is_next_loop_begun(t)) {
        attend_next_loop(t);
        continue;
      }
      wait_in_team<meanwhile::run_tasks>(t, tm, tm.barrier_parked, [&] {
        if (released()) return true;
        tm.loop_parked.store(1, memory_order_seq_cst);  // pairs with publish_loop
        return is_next_loop_begun(t);
      });
    }
  }
  // Loops that are over already, but have not been left by everybody.
  while (is_next_loop_begun(t)) attend_next_loop(t);
}

int flag_of(cancel_kind what) noexcept {
  switch (what) {
    case cancel_kind::region:
      return ompt::cancel_parallel;
    case cancel_kind::loop:
      return ompt::cancel_loop;
    case cancel_kind::sections:
      return ompt::cancel_sections;
    default:
      return ompt::cancel_taskgroup;
  }
}

}  // namespace

bool cancel_enabled(thread& t, cancel_kind what) noexcept {
  team& tm = *t.team;
  if (cold::any()) [[unlikely]] {
    race::cancels(tm);
    ompt::cancel(*t.current, flag_of(what) | ompt::cancel_activated);
  }
  switch (what) {
    case cancel_kind::region:
      if (tm.leader_outside == nullptr) return false;  // there is no region around an initial thread
      cancel_for_all(t, what, 0);
      leave_region(t);
      return true;
    case cancel_kind::taskgroup:
      if (taskgroup* const g = group_around(t)) {
        if (!g->cancelled.exchange(true, memory_order_release))
          tm.cancelled.fetch_add(one_group_cancelled, memory_order_release);
        return true;
      }
      return is_region_cancelled(tm);
    default:
      cancel_construct(t, what);
      return true;
  }
}

bool cancellation_point_enabled(thread& t, cancel_kind what) noexcept {
  if (is_cancelled(t, what)) {
    if (cold::any()) [[unlikely]] {
      race::sees_cancellation(*t.team);
      ompt::cancel(*t.current, flag_of(what) | ompt::cancel_detected);
    }
    if (what == cancel_kind::region) leave_region(t);
    return true;
  }
  // Code that looks again and again may wait for a thread that needs this core.
  constexpr std::uint32_t points_between = 64;
  if (t.team->crowded && ++t.points_passed % points_between == 0) sched::yield();
  return false;
}

bool cancel_barrier_enabled(thread& t) noexcept {
  team& tm = *t.team;
  // Not while a copyprivate is under way: the thread that ran the block has to stay until all others have copied.
  if (is_region_cancelled(tm) && !t.copies) {
    leave_region(t);
    return true;
  }
  t.copies = false;
  std::uint32_t const round = t.barriers_met;
  barrier(t);
  return is_region_cancelled(tm) && static_cast<std::int32_t>(tm.cancel.round.load(memory_order_relaxed) - round) <= 0;
}

bool note_cancellation(team& tm, cancel_kind what, std::uint32_t round, std::uint64_t loop) noexcept {
  if (what == cancel_kind::region) {
    if (is_region_cancelled(tm)) return false;
    tm.cancel.round.store(round, memory_order_relaxed);
    // Pairs with is_region_cancelled.
    return (tm.cancelled.fetch_or(region_cancelled, memory_order_release) & region_cancelled) == 0;
  }
  if (loop != 0) tm.cancel.loop_across.store(loop, memory_order_release);  // pairs with is_loop_cancelled
  // Pairs with is_cancelled_in.
  return words_of(tm, what).in[round % 2].exchange(round + 1, memory_order_release) != round + 1;
}

bool is_dropped_in(const team& tm, const scope& outer) noexcept {
  if (is_region_cancelled(tm)) return true;
  for (const scope* s = &outer; s != nullptr; s = s->outer.load(memory_order_relaxed))
    if (s->kind == scope::kind_of::group && static_cast<const taskgroup*>(s)->cancelled.load(memory_order_acquire))
      return true;  // pairs with cancel_enabled
  return false;
}

bool construct_cancelled_in(const team& tm, std::uint32_t round) noexcept {
  return is_cancelled_in(tm.cancel.loops, round) || is_cancelled_in(tm.cancel.sections, round);
}

void count_through(team& tm) noexcept {
  // seq_cst: release for members that see that all are through; Dekker for barrier_parked
  int const through = static_cast<int>(tm.cancel.through.fetch_add(1, memory_order_seq_cst)) + 1;
  if (through == tm.here + tm.outside)
    notify(tm, tm.barrier_parked);
  else if (through == tm.here)
    cluster::all_are_through(tm);
}

void end_cancellable_region(thread& t) noexcept {
  team& tm = *t.team;
  complete_descendants(t);
  while (t.implicit.inner != &t.implicit) end_taskgroup(t);  // the code that ends it was jumped over
  if (tm.size == 1) return;
  count_through(tm);
  // A member that does not see a cancellation has met all barriers and loops: there is nothing to attend.
  if (is_region_cancelled(tm)) attend(t, tm);
}

void forget_cancellation(thread& leader) noexcept {
  team& tm = *leader.team;
  if (tm.outside != 0) cluster::part_is_over(tm);
  bool const was_cancelled = is_region_cancelled(tm);
  tm.cancelled.store(0, memory_order_relaxed);  // the next region is opened by a release
  tm.cancel.through.store(0, memory_order_relaxed);
  tm.cancel.loop_across.store(0, memory_order_relaxed);
  for (cancel_state::by_round* words : {&tm.cancel.loops, &tm.cancel.sections})
    for (auto& word : words->in) word.store(0, memory_order_relaxed);
  if (!was_cancelled) return;
  // Those who attended had arrived at one barrier more.
  leader.arrivals_before = tm.arrivals.load(memory_order_relaxed);
  leader.barriers_met = 0;
  tm.arrived_apart.store(0, memory_order_relaxed);
  for (int g = 0; g < tm.groups; ++g) tm.group[g].arrived.store(0, memory_order_relaxed);
  // The leader may have missed some that others met. Loops need nothing: all members have been counted in all of them.
  leader.singles_met = tm.single_taken.load(memory_order_relaxed);
  tm.tasks.commons.abandon();
}

void end_construct_alone(team& tm) noexcept {
  for (cancel_state::by_round* words : {&tm.cancel.loops, &tm.cancel.sections})
    words->in[0].store(0, memory_order_relaxed);
}

}  // namespace amity::omp
