/// Where ready tasks go, how threads find them, and who is woken for them.

#include "amity/base/atomic_shim.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/sched/ready_group.hpp"

namespace amity::omp {

namespace {

using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

// Searches that met only what another keeps to itself, before its queue is raided: some microseconds of a spinning
// thread. In a crowded team a thread searches once before it parks.
constexpr std::uint32_t patience = 24;
constexpr std::uint32_t patience_crowded = 2;

/// Makes the thread's queue known to the team's thieves, at its first task.
[[gnu::noinline]] void join_queues(thread& t) noexcept {
  auto& first = t.team->tasks.queues;
  task_context* head = first.load(memory_order_relaxed);
  do t.tasks.next = head;
  while (!first.compare_exchange_weak(head, &t.tasks, memory_order_release, memory_order_relaxed));  // pairs with steal
}

bool somebody_may_be_parked(const team& tm) noexcept {
  return (tm.barrier_parked.load(memory_order_relaxed) | tm.dock_parked.load(memory_order_relaxed) |
          tm.leader_parked.load(memory_order_relaxed) | tm.tasks.waiting.load(memory_order_relaxed)) != 0;
}

enum class state { runs, parked, woken };

/// What a member seems to do. A guest's fiber (a leader's) never gives its claim away, so it counts as parked: one wake
/// too many.
state look_at(const thread& member) noexcept {
  const sched::fiber& f = *member.fiber;
  std::uintptr_t const place = f.place.load(memory_order_relaxed);
  if (place == 0) return state::runs;
  if ((sched::group_of(place)->ready.load(memory_order_relaxed) & sched::mask_of(place)) != 0) return state::woken;
  return f.claimed.load(memory_order_relaxed) == 0 || f.bound ? state::parked : state::runs;
}

/// Wakes one member that can run anything, or else one that waits for descendants.
[[gnu::noinline]] void wake_one(team& tm, task_context* c) noexcept {
  int const size = tm.size;
  thread* second_choice = nullptr;
  std::uint32_t const start = c != nullptr ? c->wake_cursor++ : 0;
  for (int i = 0; i < size; ++i) {
    thread* const m = tm.members[(start + static_cast<std::uint32_t>(i)) % static_cast<std::uint32_t>(size)];
    if (m == nullptr || m->fiber == nullptr || &m->tasks == c) continue;
    switch (look_at(*m)) {
      case state::runs:
        break;
      case state::woken:
        return;  // and it wakes the next one if it finds more than one task
      case state::parked:
        if (!m->tasks.waits.load(memory_order_relaxed)) {
          sched::unpark(m->fiber);
          return;
        }
        second_choice = m;
    }
  }
  if (second_choice != nullptr) sched::unpark(second_choice->fiber);
}

/// All that a thief asks of a candidate.
struct filter {
  const scope* ancestor;  ///< null: anything goes
  bool operator()(const explicit_task& x) const noexcept { return ancestor == nullptr || is_descendant(x, *ancestor); }
};

struct search_result {
  explicit_task* task = nullptr;
  bool all_empty = true;
};

search_result steal(thread& t, filter may) noexcept {
  task_context& c = t.tasks;
  team& tm = *t.team;
  search_result result;
  task_context* const head = tm.tasks.queues.load(memory_order_acquire);  // pairs with join_queues
  if (head == nullptr) return result;
  task_context* const first = c.victim != nullptr ? c.victim : head;
  task_context* hiding = nullptr;
  task_context* v = first;
  do {
    if (v != &c) {
      switch (v->queue.steal(result.task, may)) {
        case sched::haul::taken:
          c.victim = v;
          c.fruitless = 0;
          ++c.stolen;
          if (v->queue.has_public() && somebody_may_be_parked(tm)) wake_one(tm, &c);
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
  if (hiding != nullptr && ++c.fruitless >= (tm.crowded ? patience_crowded : patience)) {
    c.fruitless = 0;
    if (hiding->queue.raid() && hiding->queue.steal(result.task, may) == sched::haul::taken) ++c.stolen;
  }
  return result;
}

explicit_task* take_shared(thread& t, filter may) noexcept {
  return t.team->tasks.shared.take_first(
      [](const explicit_task& x, const void* f) { return (*static_cast<const filter*>(f))(x); }, &may);
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

void announce(thread& t) noexcept {
  team& tm = *t.team;
  if (tm.size == 1) return;
  tm.tasks.queued.store(1, memory_order_seq_cst);
  if (somebody_may_be_parked(tm)) wake_one(tm, &t.tasks);
}

void enqueue_unusual(thread& t, explicit_task& x) noexcept {
  task_context& c = t.tasks;
  if (x.priority > 0) {
    t.team->tasks.shared.push(x);
    return;
  }
  bool const first = c.queue.untouched();
  if (!c.queue.push(&x))
    t.team->tasks.shared.push(x);
  else if (first)
    join_queues(t);  // once: a push that found no memory leaves the queue untouched, and in no list
}

void enqueue_outside(explicit_task& x) noexcept {
  team& its_team = team_of(x);
  its_team.tasks.shared.push(
      x,
      [](team& tm) {
        tm.tasks.queued.store(1, memory_order_seq_cst);
        if (somebody_may_be_parked(tm)) wake_one(tm, nullptr);
      },
      &its_team);
}

explicit_task* find_task(thread& t, bool descendants_only) noexcept {
  filter const may{descendants_only ? t.current : nullptr};
  team& tm = *t.team;
  if (!tm.tasks.shared.is_empty()) [[unlikely]]
    if (explicit_task* x = take_shared(t, may)) return x;
  if (explicit_task* x = take_own(t.tasks, may)) return x;
  return tm.size > 1 ? steal(t, may).task : nullptr;
}

bool run_queued_task(thread& t) noexcept {
  team& tm = *t.team;
  explicit_task* x = find_task(t, false);
  if (x == nullptr) {
    // Nothing anywhere: say so, then look once more, for one that was queued before the flag was cleared. (A push has
    // no fence, so one may be missed; its own thread will run it, and its next push tells.)
    tm.tasks.queued.store(0, memory_order_seq_cst);
    search_result const again = tm.size > 1 ? steal(t, {nullptr}) : search_result{};
    if (again.task != nullptr || !again.all_empty || !tm.tasks.shared.is_empty())
      tm.tasks.queued.store(1, memory_order_relaxed);
    x = again.task;
    if (x == nullptr) {
      t.tasks.flush();
      return false;
    }
  }
  execute(t, *x);
  return true;
}

void prepare_to_park(thread& t) noexcept {
  t.tasks.queue.publish_all();
  t.tasks.flush();
  t.tasks.waits.store(true, memory_order_relaxed);
  t.team->tasks.waiting.fetch_add(1, memory_order_seq_cst);
}

void after_park(thread& t) noexcept {
  t.team->tasks.waiting.fetch_sub(1, memory_order_relaxed);
  t.tasks.waits.store(false, memory_order_relaxed);
}

}  // namespace amity::omp
