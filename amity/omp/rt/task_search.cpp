/// Where ready tasks go, how threads find them, and who is woken for them.

#include <algorithm>
#include <chrono>
#include <utility>

#include "amity/base/processor.hpp"
#include "amity/omp/rt/free_agent.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/taskgroup.hpp"
#include "amity/omp/rt/wait.hpp"
#include "amity/sched/fiber/ready_group.hpp"
#include "amity/sched/loop/timer.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/process_barrier.hpp"

namespace amity::omp {

namespace {

using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

// Searches that met only what another keeps to itself, before its queue is raided: some microseconds of a spinning
// thread. One that is going to park raids at once: nobody would wake it for tasks that are there already.
constexpr std::uint32_t patience = 24;

/// Makes the thread's queue known to the team's thieves, at its first task.
[[gnu::noinline]] void join_queues(thread& t) noexcept {
  auto& first = t.team->tasks.queues;
  task_context* head = first.load(memory_order_relaxed);
  do t.tasks.next = head;
  while (!first.compare_exchange_weak(head, &t.tasks, memory_order_release, memory_order_relaxed));  // pairs with steal
}

/// seq_cst: after the store to `queued`; pairs with wait_in_team and prepare_to_park, which set these, then look at
/// that.
bool somebody_may_be_parked(const team& tm) noexcept {
  return (tm.barrier_parked.load(memory_order_seq_cst) | tm.dock_parked.load(memory_order_seq_cst) |
          tm.leader_parked.load(memory_order_seq_cst) | tm.tasks.waiting.load(memory_order_seq_cst) |
          tm.tasks.absent.load(memory_order_seq_cst)) != 0;
}

/// A member sleeps that will look for tasks within some 100 us: nobody else need be woken for them. seq_cst: after the
/// store to `queued`, so that the watcher, which stops watching before it looks, sees what was queued.
bool is_watched(const team& tm) noexcept { return tm.tasks.watchers.load(memory_order_seq_cst) != 0; }

enum class state { runs, parked, woken };

/// What a member seems to do. One that is about to park gets a permit as well: it has looked for tasks already. One
/// that waits for something else (a lock, an inner team) is no help, and a permit that it has is not for tasks.
state look_at(const thread& member) noexcept {
  if (!member.tasks.idle.load(memory_order_seq_cst)) return state::runs;  // pairs with wait_in_team, prepare_to_park
  std::uintptr_t const seat = member.fiber->seat.load(memory_order_relaxed);
  if (seat == 0) return state::runs;
  bool const ready = (sched::group_of(seat)->ready.load(memory_order_relaxed) & sched::mask_of(seat)) != 0;
  return ready ? state::woken : state::parked;
}

/// Wakes one member that can run anything, or else one that waits for descendants. Where none can and some wait outside
/// of OpenMP, an agent comes.
[[gnu::noinline]] void wake_one(team& tm, task_context* c) noexcept {
  int const size = tm.here;
  thread* second_choice = nullptr;
  std::uint32_t const start = c != nullptr ? c->wake_cursor++ : 0;
  for (int i = 0; i < size; ++i) {
    thread* const m = tm.members[(start + static_cast<std::uint32_t>(i)) % static_cast<std::uint32_t>(size)];
    if (m == nullptr || m->fiber == nullptr || &m->tasks == c) continue;
    state const seen = look_at(*m);
    if (seen == state::runs) continue;
    if (m->tasks.waits.load(memory_order_relaxed)) {  // perhaps not for that one
      if (seen == state::parked) second_choice = m;
      continue;
    }
    if (seen == state::parked) sched::unpark(m->fiber);
    // The member that is woken wakes the next one if there is more than one task. One that was about to park may have
    // found a task by itself, and be busy for long: either it sees its permit (end_idleness), or this load sees that it
    // isn't idle.
    if (m->tasks.idle.load(memory_order_seq_cst)) return;
  }
  if (second_choice != nullptr) sched::unpark(second_choice->fiber);
  if (tm.tasks.absent.load(memory_order_seq_cst) != 0) [[unlikely]]  // pairs with wait_begins
    summon_agent(tm);
}

/// A taskgroup around it, however far out, reduces: each member has copies of its own, found by its number, and agents
/// have none. The walk is that of is_descendant, which says why it may read what is in use for something else by now.
bool takes_part_in_reductions(const explicit_task& x) noexcept {
  std::uint32_t last = x.depth.load(memory_order_relaxed);
  const scope* s = x.outer.load(memory_order_relaxed);
  while (s != nullptr) {
    std::uint32_t const depth = s->depth.load(memory_order_relaxed);
    if (depth >= last) return true;
    if (s->kind == scope::kind_of::group) {
      auto& g = *static_cast<const taskgroup*>(s);
      if (g.gcc_reductions != nullptr || g.clang_reductions != nullptr) return true;
    }
    last = depth;
    s = s->outer.load(memory_order_relaxed);
  }
  return false;
}

/// All that a thief asks of a candidate.
struct filter {
  const scope* ancestor;  ///< null: anything goes
  bool is_agents = false;
  bool must_find_children_only = false;  ///< of all that it may take
  bool operator()(const explicit_task& x) const noexcept {
    if (ancestor != nullptr && !is_descendant(x, *ancestor)) return false;
    return !is_agents || !takes_part_in_reductions(x);
  }
};

/// The parent of `x` is `a`. As is_descendant, but a step or two.
bool is_child(const explicit_task& x, const scope& a) noexcept {
  const scope* s = x.outer.load(memory_order_relaxed);
  std::uint32_t const depth = a.depth.load(memory_order_relaxed);
  while (s != nullptr && s != &a && s->kind == scope::kind_of::group && s->depth.load(memory_order_relaxed) > depth)
    s = s->outer.load(memory_order_relaxed);
  return s == &a;
}

struct search_result {
  explicit_task* task = nullptr;
  bool all_empty = true;
};

// A task that another thread made brings cache misses to both: on the way here, and when its memory goes back. If they
// are done within this time each, with all the tasks that they make, the thief had better leave the others alone for a
// while. So it should where they took up to four times as long, but their bodies less than half of it: between cores
// that are far apart the misses last longer than that time.
constexpr std::uint64_t worth_a_theft_ns = 450;
constexpr std::uint64_t longest_pause_us = 128;

/// The victim's owner has neither made nor run a task since the last theft was weighed: it is busy elsewhere, and what
/// lies there is for others.
bool left_its_tasks_alone(task_context& c) noexcept {
  if (c.victim == nullptr) return false;
  // Grows by one with each task that is made, and with each that is taken from the queue and run.
  std::uint64_t const progress = c.victim->queue.bottom() + 2 * c.victim->ran.load(memory_order_relaxed);
  return progress == std::exchange(c.victims_progress, progress);
}

/// True while the last thefts brought so little that this one can wait. Weighs the last one, if that is still to be
/// done.
bool better_waits(task_context& c) noexcept {
  std::uint64_t const now = sys::ticks();
  if (c.stole_at != 0) {
    std::uint64_t const least = sys::ticks_of_microseconds(worth_a_theft_ns) / 1000;
    std::uint64_t const longest = sys::ticks_of_microseconds(longest_pause_us);
    std::uint64_t const foreign = std::max(c.given_elsewhere() - c.foreign_before, 1u);
    std::uint64_t const took = now - c.stole_at;
    bool const mostly_bodies = c.stolen_bodies == 0 || c.stolen_bodies >= took / 2;  // 0: not known, or not yet
    std::uint64_t const cost = foreign * (mostly_bodies ? least : 4 * least);
    // Where one theft in ten brings a large tree and nine a leaf, the one pays for all.
    if (took + c.steal_credit >= cost) {
      c.steal_pause = 0;
      c.steal_credit = std::min(took + c.steal_credit - cost, longest);
    } else {
      c.steal_pause = c.steal_pause == 0 ? least : c.steal_pause * 2 < longest ? c.steal_pause * 2 : longest;
      c.steal_credit = 0;
    }
    c.next_theft = c.steal_pause == 0 || left_its_tasks_alone(c) ? 0 : now + c.steal_pause;
    c.stole_at = 0;
  }
  return now < c.next_theft;
}

void note_theft(task_context& c, const explicit_task* first) noexcept {
  c.stole_at = sys::ticks();
  c.foreign_before = c.given_elsewhere();
  c.stolen_bodies = 0;
  c.weighs = first;
  ++c.stolen;
}

/// From one victim. A thread that may run anything takes several tasks at a time, and keeps all but one in its queue.
sched::haul steal_from(thread& t, task_context& victim, filter may, explicit_task*& taken) noexcept {
  constexpr std::uint32_t room = 32;
  if (may.ancestor != nullptr || may.is_agents) return victim.queue.steal(taken, may);
  explicit_task* loot[room] = {};
  std::uint32_t count = 0;
  sched::haul const result = victim.queue.steal_half(loot, room, count);
  if (result != sched::haul::taken) return result;
  taken = loot[0];
  for (std::uint32_t i = count; --i > 0;) enqueue(t, *loot[i]);  // the oldest on top
  if (count > 2) t.tasks.queue.publish_all();                    // the first task may be a long one
  return result;
}

/// A member other than `c`'s is parked, and could run anything.
bool is_anybody_idle(const team& tm, const task_context& c) noexcept {
  for (int i = 0; i < tm.here; ++i) {
    const thread* const m = tm.members[i];
    if (m == nullptr || m->fiber == nullptr || &m->tasks == &c || m->tasks.waits.load(memory_order_relaxed)) continue;
    if (m->tasks.idle.load(memory_order_relaxed)) return true;
  }
  return false;
}

/// Some queue has more. What its owner keeps to itself counts: it may be about to wait for just that.
bool are_more(const team& tm) noexcept {
  if (!tm.tasks.shared.is_empty()) return true;
  for (const task_context* c = tm.tasks.queues.load(memory_order_acquire); c != nullptr; c = c->next)
    if (c->queue.has_any()) return true;
  return false;
}

/// After a theft, or a task from the team's queue: the thief, whom somebody told, is busy from now on. If there is more
/// it tells the next one; else the next push has to (H3).
void pass_on(thread& t) noexcept {
  team& tm = *t.team;
  if (!somebody_may_be_parked(tm) || is_watched(tm)) return;
  auto& queued = tm.tasks.queued;
  if (are_more(tm)) {
    // Before the wake: the member that is woken looks at it.
    if (queued.load(memory_order_relaxed) != team_tasks::told)
      queued.store(team_tasks::told, memory_order_seq_cst);
    else
      std::atomic_thread_fence(memory_order_seq_cst);  // what the thief queued, before it looks who is idle
    wake_one(tm, &t.tasks);
  } else if (std::uint32_t const seen = queued.load(memory_order_seq_cst);
             seen != team_tasks::none && is_anybody_idle(tm, t.tasks)) {
    if (seen != team_tasks::doubtful) queued.store(team_tasks::doubtful, memory_order_seq_cst);
    static_cast<void>(sys::await_all_stores());  // what was pushed before the doubt could be seen (H3)
    if (are_more(tm)) announce(t);
  }
}

search_result steal(thread& t, filter may, search how) noexcept {
  task_context& c = t.tasks;
  team& tm = *t.team;
  search_result result;
  if (better_waits(c) && how == search::now_and_then) {
    result.all_empty = false;
    return result;
  }
  task_context* const head = tm.tasks.queues.load(memory_order_acquire);  // pairs with join_queues
  if (head == nullptr) return result;
  task_context* const first = c.victim != nullptr ? c.victim : head;
  task_context* hiding = nullptr;
  task_context* v = first;
  do {
    if (v != &c) {
      switch (steal_from(t, *v, may, result.task)) {
        case sched::haul::taken:
          c.victim = v;
          c.fruitless = 0;
          note_theft(c, result.task);
          pass_on(t);
          return result;
        case sched::haul::hidden:
          hiding = v;
          [[fallthrough]];
        case sched::haul::refused:
          result.all_empty = false;
          break;
        case sched::haul::nothing:
          break;
      }
    }
    v = v->next != nullptr ? v->next : head;
  } while (v != first);
  if (hiding != nullptr && (++c.fruitless >= patience || how == search::thorough)) {
    c.fruitless = 0;
    if (hiding->queue.raid() && steal_from(t, *hiding, may, result.task) == sched::haul::taken) {
      note_theft(c, result.task);
      pass_on(t);
    }
  }
  return result;
}

/// The team's queue may be long, and whether a task that was made deep in a recursion is a descendant takes long to
/// find out: all of them are looked at only by a thread that is about to park; and, with one look each, by a thread
/// that waits for children.
explicit_task* take_shared(thread& t, filter may, search how) noexcept {
  task_queue& shared = t.team->tasks.shared;
  constexpr auto accepts = [](const explicit_task& x, const void* f) { return (*static_cast<const filter*>(f))(x); };
  constexpr auto accepts_child = [](const explicit_task& x, const void* f) {
    return is_child(x, *static_cast<const filter*>(f)->ancestor);
  };
  auto const take = [&]() -> explicit_task* {
    if (may.ancestor == nullptr) return shared.take_first(accepts, &may);
    if (explicit_task* x = shared.try_take_first(accepts, &may)) return x;
    if (how == search::now_and_then) return nullptr;
    bool const children = may.must_find_children_only && !may.is_agents;
    return children ? shared.take_first(accepts_child, &may) : shared.take_first(accepts, &may);
  };
  explicit_task* const x = take();
  if (x != nullptr) pass_on(t);
  return x;
}

/// From the own queue. Entries above the base are descendants of the current task. Those below may be too: an untied
/// task's parts run with different bases.
explicit_task* take_own(task_context& c, filter may) noexcept {
  if (explicit_task* x = c.queue.pop(c.base)) return x;
  explicit_task* const candidate = c.queue.newest();
  if (candidate == nullptr || !may(*candidate)) return nullptr;
  explicit_task* const x = c.queue.pop(c.queue.bottom() - 1);
  if (x != nullptr) c.base = c.queue.bottom();
  return x;
}

}  // namespace

bool is_descendant(const explicit_task& x, const scope& a) noexcept {
  std::uint32_t const depth = a.depth.load(memory_order_relaxed);
  std::uint32_t last = x.depth.load(memory_order_relaxed);
  const scope* s = x.outer.load(memory_order_relaxed);
  while (s != nullptr) {
    std::uint32_t const d = s->depth.load(memory_order_relaxed);
    if (d <= depth) return s == &a;
    if (d >= last) return false;  // memory that was used again: no tree
    last = d;
    s = s->outer.load(memory_order_relaxed);
  }
  return false;
}

namespace {

/// The queues may have been empty as far as others know. `c`: the calling member's, or null.
void tell(team& tm, task_context* c) noexcept {
  // Until now nobody who was about to park said so (wait_in_team): all are told, once in the team's life.
  bool const first = !tm.tasks.used.load(memory_order_relaxed);
  if (first) tm.tasks.used.store(true, memory_order_seq_cst);     // pairs with wait_in_team
  tm.tasks.queued.store(team_tasks::told, memory_order_seq_cst);  // pairs with last_look, wait_in_team, prepare_to_park
  if (first) unpark_team(tm);
  if (first ? tm.tasks.absent.load(memory_order_seq_cst) != 0 : somebody_may_be_parked(tm) && !is_watched(tm))
    wake_one(tm, c);
}

}  // namespace

void announce(thread& t) noexcept {
  if (t.team->here > 1 || t.is_agent) tell(*t.team, &t.tasks);
}

void announce_range(thread& t) noexcept {
  team& tm = *t.team;
  if (tm.crowded) return;                          // the cores have enough to do
  std::atomic_thread_fence(memory_order_seq_cst);  // pairs with last_look, which clears the flag, then looks
  if (tm.tasks.queued.load(memory_order_relaxed) != team_tasks::told)
    announce(t);
  else if (somebody_may_be_parked(tm))
    wake_one(tm, &t.tasks);
}

void enqueue_unusual(thread& t, explicit_task& x) noexcept {
  task_context& c = t.tasks;
  if (x.priority > 0) return t.team->tasks.shared.push(x);
  bool const first = c.queue.untouched();
  if (!c.queue.push(&x))
    t.team->tasks.shared.push_first(x);
  else if (first)
    join_queues(t);  // once: a push that found no memory leaves the queue untouched, and in no list
}

void enqueue_outside(explicit_task& x) noexcept {
  team& its_team = team_of(x);
  its_team.tasks.shared.push(
      x, [](team& tm) { tell(tm, nullptr); }, &its_team);
}

namespace {

search_result search_everywhere(thread& t, filter may, search how) noexcept {
  team& tm = *t.team;
  if (tm.tasks.shared.is_urgent()) [[unlikely]]
    if (explicit_task* x = take_shared(t, may, how)) return {x, false};
  if (explicit_task* x = take_own(t.tasks, may)) return {x, false};
  if (!tm.tasks.shared.is_empty()) [[unlikely]]
    if (explicit_task* x = take_shared(t, may, how)) return {x, false};
  search_result result;
  if (tm.here > 1 || t.is_agent) result = steal(t, may, how);
  result.all_empty = result.all_empty && tm.tasks.shared.is_empty();
  return result;
}

/// Takes back what announce() told, then looks once more, for a task that was queued before that could be seen: the
/// next push tells again. A push to a thread's own queue has no fence: where the caller parks, a barrier on all threads
/// makes up for that (H2), and else somebody who parks looks again (H4). Tasks that are there leave a doubt, so that
/// those who spin go on looking; the next push tells all the same, since this thread won't come for it: it parks, or
/// runs what it found.
search_result last_look(thread& t, filter may, bool parks) noexcept {
  // A thread that parks is not woken for tasks that are there already. Those that another thief, a raider or their
  // owner was faster to get are soon gone; the few turns cost less than a sleep.
  constexpr int turns = 16;
  auto& queued = t.team->tasks.queued;
  bool const proves = parks && may.ancestor == nullptr && !may.is_agents;
  if (queued.load(memory_order_seq_cst) != team_tasks::none) {
    queued.store(proves ? team_tasks::none : team_tasks::unproven, memory_order_seq_cst);
    if (proves) static_cast<void>(sys::await_all_stores());  // H2; pairs with tell_unless_told
  }
  search_result result;
  for (int i = 0; i < turns; ++i) {
    result = search_everywhere(t, may, search::thorough);
    if (result.task != nullptr || result.all_empty) break;
    if (may.ancestor != nullptr) break;  // perhaps they are all not for this thread
    base::cpu_relax();
  }
  bool const some = result.task != nullptr || !result.all_empty;
  if (some && !team_tasks::invites(queued.load(memory_order_relaxed)))
    queued.store(team_tasks::doubtful, memory_order_relaxed);
  return result;
}

/// The member will be busy. If it was told of tasks when it had found one by itself already, it tells the next one. Its
/// permit stays, and makes a later park return without cause.
void end_idleness(thread& t) noexcept {
  t.tasks.idle.store(false, memory_order_seq_cst);  // before the look at the permit; pairs with wake_one
  std::uintptr_t const seat = t.fiber->seat.load(memory_order_relaxed);
  if (seat != 0 && (sched::group_of(seat)->ready.load(memory_order_seq_cst) & sched::mask_of(seat)) != 0) pass_on(t);
}

}  // namespace

explicit_task* find_task(thread& t, reach what, search how) noexcept {
  filter const may{what != reach::anything ? t.current : nullptr, t.is_agent, what == reach::children};
  return how == search::thorough ? last_look(t, may, true).task : search_everywhere(t, may, how).task;
}

bool run_queued_task(thread& t, search how) noexcept {
  search_result found = search_everywhere(t, {nullptr}, search::now_and_then);
  bool const rests =
      how == search::now_and_then ? !found.all_empty : how == search::unless_pausing && t.tasks.is_pausing();
  if (found.task == nullptr && !rests) {
    found = last_look(t, {nullptr}, how != search::now_and_then);
    if (found.task == nullptr) t.tasks.flush();
  }
  if (found.task == nullptr) return false;
  if (t.tasks.idle.load(memory_order_relaxed)) end_idleness(t);
  execute_found(t, *found.task);
  return true;
}

void park_for_pause(thread& t) noexcept {
  std::uint64_t const now = sys::ticks();
  std::uint64_t const end = t.tasks.next_theft;
  if (now >= end) return;
  std::uint64_t const us = (end - now) / sys::ticks_of_microseconds(1) + 1;
  sched::park_until(sched::instant_after(std::chrono::microseconds(us)));
}

void invoke_weighed(thread& t, explicit_task& x) noexcept {
  t.tasks.weighs = nullptr;
  std::uint64_t const begun = sys::ticks();
  invoke(t, x);
  t.tasks.stolen_bodies += sys::ticks() - begun;
}

void call_for_help(team& tm, task_context* c) noexcept {
  bool some = !tm.tasks.shared.is_empty();
  for (task_context* v = tm.tasks.queues.load(memory_order_acquire); v != nullptr && !some; v = v->next)
    some = v->queue.has_any();
  if (!some) return;
  tm.tasks.used.store(true, memory_order_seq_cst);                // as tell
  tm.tasks.queued.store(team_tasks::told, memory_order_seq_cst);  // before the wake: the woken member looks at it
  wake_one(tm, c);
}

void prepare_to_park(thread& t, bool descendants_only) noexcept {
  t.tasks.queue.publish_all();
  t.tasks.flush();
  t.tasks.waits.store(descendants_only, memory_order_relaxed);
  t.tasks.idle.store(true, memory_order_relaxed);
  t.team->tasks.waiting.fetch_add(1, memory_order_seq_cst);
  if (t.is_agent || t.team->tasks.absent.load(memory_order_seq_cst) != 0) [[unlikely]]
    leave_rest_to_agents(t);
}

void after_park(thread& t) noexcept {
  if (t.is_agent) [[unlikely]]
    t.team->tasks.absent.fetch_sub(1, memory_order_relaxed);
  t.team->tasks.waiting.fetch_sub(1, memory_order_relaxed);
  t.tasks.waits.store(false, memory_order_relaxed);
  end_idleness(t);
}

}  // namespace amity::omp
