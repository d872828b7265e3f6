#include "amity/omp/rt/task.hpp"

#include <stdlib.h>

#include <utility>

#include "amity/base/report.hpp"
#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/cancel.hpp"
#include "amity/omp/rt/depend.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/taskloop.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sched/fiber/carrier.hpp"

namespace amity::omp {

namespace {

using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;

/// clang's destructors of private variables: a routine in the fourth word of its task structure.
void call_destructors(thread& t, explicit_task& x) noexcept {
  using destructor = std::int32_t (*)(std::int32_t, void*);
  auto const run = reinterpret_cast<destructor*>(x.arguments)[3];
  if (run != nullptr) run(static_cast<std::int32_t>(t.gtid), x.arguments);
}
void destroy_arguments(thread& t, explicit_task& x) noexcept {
  if (race::is_on()) [[unlikely]]
    race::run_in(t, x, call_destructors);
  else
    call_destructors(t, x);
}

/// The subtree of `x` is complete.
void complete_subtree(thread* t, explicit_task& x) noexcept {
  scope& outer = *x.outer.load(memory_order_relaxed);
  release_task(t, x);
  report(t, outer, scope::subtree);
}

/// `x` has ended with children, or an event, outstanding: from now on whoever brings `remote` to 0 completes the
/// subtree.
void leave_to_children(thread* t, explicit_task& x) noexcept {
  std::uint64_t const outstanding = x.local;
  x.owner.store(nullptr, memory_order_relaxed);
  if (x.remote.fetch_sub(outstanding, memory_order_acq_rel) == outstanding) complete_subtree(t, x);
}

/// Body ended and event fulfilled.
void complete_detached(thread* t, explicit_task& x) noexcept {
  if (x.node != nullptr) finish_depending(t, x);
  report(t, *x.outer.load(memory_order_relaxed), scope::body);
  if (x.remote.fetch_add(scope::subtree, memory_order_acq_rel) + scope::subtree == 0) complete_subtree(t, x);
}

void end_detached_body(thread& t, explicit_task& x) noexcept {
  if (x.siblings != nullptr) forget_dependences(x);
  x.local += scope::subtree;  // the event counts as a child
  leave_to_children(&t, x);
  if ((x.event.fetch_or(explicit_task::body_ended, memory_order_acq_rel) & explicit_task::fulfilled) !=
      0)  // pairs with fulfill
    complete_detached(&t, x);
}

/// True if the untied task's last part has ended, on this thread or on another before.
bool end_part(thread& t, explicit_task& x) noexcept {
  if (!t.tasks.next_part_spawned) x.owner.store(nullptr, memory_order_relaxed);
  t.tasks.next_part_spawned = false;
  return x.parts.fetch_sub(1, memory_order_acq_rel) == 1;  // the last one sees what all parts did
}

[[gnu::noinline]] void finish_flagged(thread& t, explicit_task& x) noexcept {
  if ((x.flags & explicit_task::untied) != 0 && !end_part(t, x)) return;
  if ((x.flags & explicit_task::destroys) != 0) destroy_arguments(t, x);
  if ((x.flags & explicit_task::detached) != 0)
    end_detached_body(t, x);
  else
    complete_unusual(&t, x);
}

/// What is due to a task that will not run, before it counts as complete. Its event, if it has one, needs nobody: what
/// would have led to its fulfilment was in the body.
void drop_body(thread& t, explicit_task& x) noexcept {
  if ((x.flags & explicit_task::destroys) != 0) destroy_arguments(t, x);
  if ((x.flags & explicit_task::detached) != 0)
    x.event.fetch_or(explicit_task::dropped, memory_order_acq_rel);  // pairs with fulfill
}

/// What the thread has learnt of its tasks may not be true of those that come after the barrier.
void forget_tasks(task_context& c) noexcept {
  c.stole_at = 0;
  c.queue_limit = longest_queue;
  c.next_weighing = tasks_weighed;
  c.weighed_at = 0;
}

void tell_counters(thread& t) noexcept {
  task_context& c = t.tasks;
  trace::count(t.fiber->on->stats.tasks, c.ran);
  trace::count(t.fiber->on->stats.steals, c.stolen);
  c.ran.store(0, memory_order_relaxed);
  c.stolen = 0;
}

/// What execute_foreign has kept back.
void report_deferred(thread& t) noexcept {
  scope* const of = std::exchange(t.tasks.deferring, nullptr);
  std::uint64_t const units = std::exchange(t.tasks.deferred, 0);
  if (units != 0) report_remotely(&t, *of, units);
}

}  // namespace

// --- descriptors

void no_memory_for_task(std::size_t bytes) noexcept {
  base::fatal("out of memory for a task with %zu bytes of arguments", bytes);
}

// Arguments that are too large for the pool have memory of their own, with the way back to the task in front of them.
void place_arguments(explicit_task& x, bool fits, std::size_t bytes, std::size_t align) noexcept {
  if (fits) {
    std::uintptr_t const at = (reinterpret_cast<std::uintptr_t>(&x + 1) + align - 1) & ~(align - 1);
    x.arguments = reinterpret_cast<void*>(at);
  } else {
    std::size_t const front = align > base::cache_line ? align : base::cache_line;
    auto* block = static_cast<char*>(aligned_alloc(front, front + (bytes + front - 1) / front * front));
    if (block == nullptr) no_memory_for_task(bytes);
    x.arguments = block + front;
    static_cast<void**>(x.arguments)[-2] = block;
    x.flags |= explicit_task::outside;
  }
  static_cast<void**>(x.arguments)[-1] = &x;
}

void release_unusual(thread* t, explicit_task& x) noexcept {
  if ((x.flags & explicit_task::watched) != 0) [[unlikely]]
    race::forget(x);
  if ((x.flags & explicit_task::outside) != 0) race::free_unseen(static_cast<void**>(x.arguments)[-2]);
  if (t != nullptr)
    t->tasks.give(&x, x.size_class);
  else
    sched::frame_pool::give_home(&x, x.size_class);
}

// --- observers

std::size_t lines_of_observers(std::size_t bytes) noexcept {
  if (!cold::observed()) return 0;
  // A race detector tells memory that is used again by its being freed and allocated; so arguments are.
  bool const apart = bytes != 0 && race::is_on();
  return apart ? sizeof(class_for.of) : observers_lines;
}

void tell_made(thread& t, explicit_task& x, const dependence* list, std::size_t count) noexcept {
  ompt::task_created(t, x, list, count);
  race::task_made(t, x, list, count);
}

void invoke_observed(thread& t, explicit_task& x) noexcept { race::run_in(t, x, ompt::run_body); }

void start_observed(thread& t, explicit_task& x) noexcept {
  if (race::is_on() && !t.current->is_final) {
    spawn(t, x);
    race::run_what_is_due(t);
  } else if (runs_at_once(t)) {
    run_undeferred(t, x);
  } else {
    spawn(t, x);
  }
}

// --- running and completing

// A report takes the line of a scope from its owner, who looks at it, or counts the next child there: on far cores that
// costs more than a small task. So a thread that runs several tasks of a scope one after the other reports once. The
// owner learns nothing too late: it can't go on before the task that still runs, or is about to, has ended as well. But
// that one may have to wait, for anything but the scope.
void execute_foreign(thread& t, explicit_task& first) noexcept {
  constexpr std::uint64_t longest_us = 5;  // the caller may be waiting for something that has happened
  task_context& c = t.tasks;
  if (c.deferring != nullptr) return execute(t, first);  // within such a task
  std::uint64_t const end = sys::ticks() + sys::ticks_of_microseconds(longest_us);
  explicit_task* x = &first;
  do {
    scope* const of = x->outer.load(memory_order_relaxed);
    if (of != c.deferring) {
      report_deferred(t);
      c.deferring = of;
    }
    if (c.stole_at != 0) c.weighs = x;
    execute(t, *x);
    x = t.team->tasks.shared.is_urgent() || sys::ticks() > end ? nullptr : c.queue.pop(c.base);
  } while (x != nullptr);
  report_deferred(t);
}

void report_remotely(thread* t, scope& s, std::uint64_t units) noexcept {
  if (t != nullptr && t->tasks.deferring == &s) {
    t->tasks.deferred += units;
    return;
  }
  // acq_rel: what the task did, for the owner (scope_wait::done) or for whoever completes the subtree
  std::uint64_t const now = s.remote.fetch_add(units, memory_order_acq_rel) + units;
  if ((now & scope::parked) != 0) {
    // The owner may have gone on, and the scope be another by now: then this unpark is one without cause. If it still
    // waits, these are its words, because it wrote them before it set `parked`.
    std::uint64_t const awaited = s.awaited.load(memory_order_relaxed);
    thread* const owner = s.owner.load(memory_order_relaxed);
    sched::fiber* const waiter = owner != nullptr ? owner->fiber : nullptr;
    if (waiter != nullptr && is_satisfied(awaited & ~std::uint64_t{1}, now, (awaited & 1) != 0)) sched::unpark(waiter);
  } else if (now == 0) {
    // Only a task that has ended gets there: see leave_to_children.
    complete_subtree(t, static_cast<explicit_task&>(s));
  }
}

void complete_unusual(thread* t, explicit_task& x) noexcept {
  if (x.node != nullptr) finish_depending(t, x);
  if (x.siblings != nullptr) forget_dependences(x);
  scope& outer = *x.outer.load(memory_order_relaxed);
  if (x.local == x.remote.load(memory_order_acquire)) {
    release_task(t, x);
    report(t, outer, scope::whole);
  } else {
    report(t, outer, scope::body);
    leave_to_children(t, x);
  }
}

void execute_unusual(thread& t, explicit_task& x) noexcept {
  if ((x.flags & explicit_task::range) != 0) return run_range(t, x);
  if ((x.flags & explicit_task::depends) != 0 && !take_exclusives(x)) return;
  if (t.team->cancelled.load(memory_order_relaxed) != 0 && !x.started &&
      is_dropped_in(*t.team, *x.outer.load(memory_order_relaxed))) [[unlikely]] {
    if (cold::any()) [[unlikely]]
      ompt::cancel(x, (is_region_cancelled(*t.team) ? ompt::cancel_parallel : ompt::cancel_taskgroup) |
                          ompt::cancel_discarded_task);
    drop_body(t, x);
    complete_unusual(&t, x);
    return;
  }
  run_body(t, x);
  finish_flagged(t, x);
}

bool stack_allows_nesting(thread& t) noexcept {
  sched::stack_bounds& stack = t.tasks.stack;
  if (!stack.is_here()) stack = sched::stack_of(*t.fiber);
  return base::stack_pointer() > stack.last(4);
}

// run_undeferred, with what only such a task needs: this is most of what a program of small tasks does in one thread.
void run_in_place(thread& t, void (*fn)(void*), void* data, bool is_final) noexcept {
  constexpr unsigned size_class = class_for.of[sizeof(explicit_task) / base::cache_line];
  task_context& c = t.tasks;
  sched::frame* const f = c.take(size_class);
  if (f == nullptr) [[unlikely]]
    no_memory_for_task(0);
  auto& x = *static_cast<explicit_task*>(f);
  task* const maker = t.current;
  std::uint32_t const base = c.base;
  set_up_task(x, {maker, maker->inner, &maker->icv, is_final}, size_class);
  x.flags = explicit_task::undeferred;
  x.started = true;
  x.owner.store(&t, memory_order_relaxed);
  c.base = c.queue.bottom();
  t.current = &x;
  ++c.nested_inline;
  trace::count(c.ran);
  fn(data);
  --c.nested_inline;
  t.current = maker;
  c.base = base;
  if (x.siblings != nullptr) [[unlikely]]
    forget_dependences(x);
  if (x.local == x.remote.load(memory_order_acquire)) [[likely]]  // pairs with report_remotely
    c.give(&x, size_class);
  else
    leave_undeferred_to_children(t, x);
  after_task(t);
}

void run_included(thread& t, void (*fn)(void*), void* data) noexcept {
  included_task x{t.included, t.current};
  t.included = &x;
  trace::count(t.tasks.ran);
  fn(data);
  if (x.saved) [[unlikely]]
    t.current->icv = *x.saved;
  t.included = x.around;
}

/// No tool has been told of it.
void drop_new_task(thread& t, explicit_task& x) noexcept {
  drop_body(t, x);
  release_task(&t, x);
}

void spawn_next_part(thread& t, explicit_task& x) noexcept {
  t.tasks.next_part_spawned = true;
  if ((x.flags & explicit_task::undeferred) != 0) return;  // end_undeferred goes on with it
  if (cold::any()) [[unlikely]] {
    race::part_ends(x);
    ompt::part_ends(t, x);
  }
  x.owner.store(
      nullptr,
      memory_order_relaxed);  // another thread may be the next; what `local` says goes with the queue's release
  x.parts.fetch_add(1, memory_order_relaxed);
  enqueue(t, x);
}

void end_undeferred_unusual(thread& t, explicit_task& x) noexcept {
  task_context& c = t.tasks;
  while (c.next_part_spawned) {
    c.next_part_spawned = false;
    invoke(t, x);
  }
  if (awaits_event(x)) {
    run_until(t, condition_wait{[&x] { return (x.event.load(memory_order_acquire) & explicit_task::fulfilled) != 0; }},
              reach::descendants);
    if (race::is_on()) [[unlikely]]
      race::event_awaited(x);
  }
  if ((x.flags & explicit_task::destroys) != 0) destroy_arguments(t, x);
}

void leave_undeferred_to_event(thread& t, explicit_task& x) noexcept {
  x.outer.load(memory_order_relaxed)->local += scope::whole;  // counted from now on
  end_detached_body(t, x);
}

void leave_undeferred_to_children(thread& t, explicit_task& x) noexcept {
  x.outer.load(memory_order_relaxed)->local += scope::subtree;  // counted from now on, for its children's sake
  leave_to_children(&t, x);
}

namespace {

// User space ends below 2^48 on x86-64 and aarch64.
constexpr unsigned handle_shift = 48;
constexpr unsigned event_shift = 16;

std::uint32_t number_of_event(std::uint32_t event) noexcept { return event >> event_shift; }

}  // namespace

void open_event(thread& t, explicit_task& x, std::uint32_t bits) noexcept {
  x.flags |= explicit_task::detached;
  x.event.store(std::uint32_t{++t.tasks.events_made} << event_shift | bits, memory_order_relaxed);
}

std::uintptr_t event_handle(const explicit_task& x) noexcept {
  std::uint64_t const number = number_of_event(x.event.load(memory_order_relaxed));
  return reinterpret_cast<std::uintptr_t>(&x) | number << handle_shift;
}

void fulfill(std::uintptr_t handle) noexcept {
  auto& x = *reinterpret_cast<explicit_task*>(handle & ((std::uintptr_t{1} << handle_shift) - 1));
  if (cold::any()) [[unlikely]] {
    ompt::task_fulfilled(x);
    race::event_fulfilled(x);
  }
  // Looked up before the event: afterwards the task may be gone.
  bool const undeferred = (x.flags & explicit_task::undeferred) != 0 && awaits_event(x);
  sched::fiber* const waiter = static_cast<task_context*>(x.home)->self->fiber;
  std::uint32_t before = x.event.load(memory_order_relaxed);
  do {
    // A task that was dropped is gone, and another may have its descriptor: that is not a mistake of the program's.
    bool const is_other = number_of_event(before) != handle >> handle_shift;
    if ((before & explicit_task::dropped) != 0 || (is_other && environment().cancellation)) return;
    if (is_other || (before & explicit_task::fulfilled) != 0) {
      base::warn("omp_fulfill_event: event %p was fulfilled before, or is no event; ignored", static_cast<void*>(&x));
      return;
    }
  } while (!x.event.compare_exchange_weak(before, before | explicit_task::fulfilled, memory_order_acq_rel,
                                          memory_order_relaxed));  // pairs with end_detached_body
  if (undeferred)
    sched::unpark(waiter);
  else if ((before & explicit_task::body_ended) != 0)
    complete_detached(nullptr, x);
}

// --- the team's

void begin_implicit(thread& t, task* parent, const icv_set& icv) noexcept {
  task& x = t.implicit;
  task_context& c = t.tasks;
  x.outer.store(nullptr, memory_order_relaxed);
  x.depth.store(0, memory_order_relaxed);
  x.owner.store(&t, memory_order_relaxed);
  x.local = 0;
  x.remote.store(0, memory_order_relaxed);
  x.inner = &x;
  x.parent = parent;
  x.is_final = false;
  x.icv = icv;
  if (x.siblings != nullptr) forget_dependences(x);
  c.self = &t;
  c.base = c.queue.bottom();
  c.nested_inline = 0;
  c.commons_met = 0;
  c.region_reductions = nullptr;
  t.current = &x;
}

void complete_made_descendants(thread& t) noexcept {
  // A barrier may come with taskgroups open: those that a worksharing construct with a task reduction opens.
  for (scope* s = t.implicit.inner; s != nullptr; s = s->outer.load(memory_order_relaxed)) {
    scope_wait const all{*s, true};
    if (!all.done()) run_until(t, all, reach::anything);
  }
  if (t.implicit.siblings != nullptr) forget_dependences(t.implicit);
  if (t.tasks.ran != 0) {
    tell_counters(t);
    forget_tasks(t.tasks);
  }
}

void wait_children_unusual(thread& t) noexcept {
  task& x = *t.current;
  for (scope* s = x.inner;;
       s = s->outer.load(memory_order_relaxed)) {  // the open taskgroups, innermost first, then the task
    scope_wait const bodies{*s, false};
    if (!bodies.done()) run_until(t, bodies, reach::children);
    if (s == &x) break;
  }
  if (x.siblings != nullptr) trim_dependences(x);
}

void yield_task(thread& t) noexcept {
  if (explicit_task* x = find_task(t, reach::descendants, search::now_and_then))
    execute(t, *x);
  else if (t.team->crowded)
    sched::yield();
}

}  // namespace amity::omp
