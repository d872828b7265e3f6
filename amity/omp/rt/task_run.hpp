#pragma once

/// The ways of a task: making a descriptor, queueing, running, completing, and waiting with work in hand. The usual way
/// is inline, down to the compiler's entry points.
///
///     explicit_task& x = new_task(t, bytes, align);
///     x.code.plain = fn;  copy_arguments(x.arguments, data, bytes);
///     spawn(t, x);                                    // deferred: somebody of the team will run it
///     wait_children(t);                               // taskwait

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/depend.hpp"
#include "amity/omp/rt/mutual_exclusion.hpp"
#include "amity/omp/rt/task.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/sched/cores/spin.hpp"
#include "amity/sched/loop/park.hpp"

namespace amity::omp {

// --- descriptors

/// Where a new task stands in the tree, and what it inherits.
struct birthplace {
  task* parent;
  scope* outer;
  const icv_set* icv;
  bool is_final;
};
inline birthplace born_here(const thread& t) noexcept {
  task* p = t.current;
  return {p, p->inner, &p->icv, p->is_final};
}

/// The frame class for so many cache lines.
struct frame_classes {
  std::uint8_t of[sched::frame_pool::size_of_class[sched::frame_pool::classes - 1] / base::cache_line + 1];
  constexpr frame_classes() : of{} {
    for (std::size_t lines = 0; lines < sizeof(of); ++lines)
      of[lines] = static_cast<std::uint8_t>(sched::frame_pool::class_of(lines * base::cache_line));
  }
};
inline constexpr frame_classes class_for;

[[noreturn, gnu::cold]] void no_memory_for_task(std::size_t bytes) noexcept;
/// Arguments that do not stand right behind the descriptor.
[[gnu::noinline]] void place_arguments(explicit_task& x, bool fits, std::size_t bytes, std::size_t align) noexcept;

/// Lines at the end of a frame for those that observe the task: the last for a tool (ompt::task_record), the one before
/// it for a race detector (race/words.hpp).
inline constexpr std::size_t observers_lines = 2;
/// How many lines more the descriptor needs, as its maker counts them.
[[nodiscard, gnu::cold]] std::size_t lines_of_observers(std::size_t bytes) noexcept;

/// What every new descriptor needs, whoever is to run it.
[[gnu::always_inline]] inline void set_up_task(explicit_task& x, const birthplace& where,
                                               unsigned size_class) noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  x.outer.store(where.outer, relaxed);
  x.depth.store(where.outer->depth.load(relaxed) + 1, relaxed);
  x.kind = scope::kind_of::task;
  x.is_implicit = false;
  x.is_final = where.is_final;
  x.size_class = static_cast<std::uint8_t>(size_class);
  x.local = 0;
  x.remote.store(0, relaxed);
  x.inner = &x;
  x.parent = where.parent;
  x.siblings = nullptr;
  x.icv = *where.icv;
  x.node = nullptr;
  x.flags = 0;
  x.is_clang = false;
  x.started = false;
}

/// A descriptor with room for `bytes` of arguments. What spawn and run_undeferred need is set, but for `code`.
[[nodiscard, gnu::always_inline]] inline explicit_task& new_task_at(thread& t, const birthplace& where,
                                                                    std::size_t bytes, std::size_t align) noexcept {
  std::size_t const size = sizeof(explicit_task) + bytes + (align > base::cache_line ? align : 0);
  std::size_t lines = (size + base::cache_line - 1) / base::cache_line;
  if (cold::any()) [[unlikely]]
    lines += lines_of_observers(bytes);
  bool const fits = lines < sizeof(class_for.of);
  unsigned const size_class = class_for.of[fits ? lines : sizeof(explicit_task) / base::cache_line + observers_lines];
  sched::frame* const f = t.tasks.take(size_class);
  if (f == nullptr) [[unlikely]]
    no_memory_for_task(bytes);
  auto& x = *static_cast<explicit_task*>(f);
  set_up_task(x, where, size_class);
  x.priority = 0;
  x.argument_bytes = static_cast<std::uint32_t>(bytes);
  x.self = &x;
  x.arguments = &x + 1;
  if (!fits || align > base::cache_line) [[unlikely]]
    place_arguments(x, fits, bytes, align);
  return x;
}

/// The same for a child of the current task.
[[nodiscard, gnu::always_inline]] inline explicit_task& new_task(thread& t, std::size_t bytes,
                                                                 std::size_t align) noexcept {
  return new_task_at(t, born_here(t), bytes, align);
}

[[gnu::noinline]] void release_unusual(thread* t, explicit_task& x) noexcept;

/// Gives the descriptor and its arguments back. `t`: the calling thread, or null if it has no pool.
inline void release_task(thread* t, explicit_task& x) noexcept {
  if (t == nullptr || (x.flags & (explicit_task::outside | explicit_task::watched)) != 0) [[unlikely]]
    release_unusual(t, x);
  else
    t->tasks.give(&x, x.size_class);
}

// --- queues

/// Nobody is on the way to the queue, as far as is known: tells somebody.
[[gnu::noinline]] void announce(thread& t) noexcept;
/// After a share of a loop was queued: it may be all that its thread queues for long, so nobody may miss it.
[[gnu::noinline]] void announce_range(thread& t) noexcept;
/// The first task of the thread, a queue that can't grow, or a task with a priority.
[[gnu::noinline]] void enqueue_unusual(thread& t, explicit_task& x) noexcept;

/// After a push: tells somebody, unless the hint says that somebody was told. Only the compiler must not look at the
/// hint before the push: the processor may, and its part is done by who takes `told` back (README-task-search.md, H2).
inline void tell_unless_told(thread& t) noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (t.team->tasks.queued.load(std::memory_order_relaxed) != team_tasks::told) announce(t);
}

/// Puts a ready task, counted already, where members of the team find it.
inline void enqueue(thread& t, explicit_task& x) noexcept {
  task_context& c = t.tasks;
  if (x.priority > 0 || c.queue.untouched() || !c.queue.push(&x)) [[unlikely]]
    enqueue_unusual(t, x);
  tell_unless_told(t);
}
/// The same for a task that the thread is going to run next, if nothing else comes up.
inline void enqueue_next(thread& t, explicit_task& x) noexcept {
  task_context& c = t.tasks;
  if (x.priority > 0 || c.queue.untouched() || !c.queue.push_quietly(&x)) [[unlikely]]
    enqueue_unusual(t, x);
  tell_unless_told(t);
}
/// The same on a thread that is not at work for the task's team, or not for its ancestors.
void enqueue_outside(explicit_task& x) noexcept;

/// A thread of the team's won't look at the queues for a while (`c`: its own, or null): a member that can is woken for
/// them, or an agent.
void call_for_help(team& tm, task_context* c) noexcept;

/// The team that the task belongs to.
inline team& team_of(const explicit_task& x) noexcept { return *static_cast<task_context*>(x.home)->self->team; }

/// True if `a` is above `x` in the tree. `x` may be in a queue, and be taken out meanwhile: then the answer means
/// nothing, but nothing breaks (deque.hpp: steal).
[[nodiscard]] bool is_descendant(const explicit_task& x, const scope& a) noexcept;

/// A task that the current task may run: only a descendant of it, or anything.
[[nodiscard]] explicit_task* find_task(thread& t, reach what, search how) noexcept;

// --- running and completing

// How deep a thread may nest tasks that it runs at once. A team of one runs all so, as long as the stack stays
// reasonable.
inline constexpr std::uint32_t inline_limit = 64;
inline constexpr std::uint32_t inline_limit_alone = 1024;
/// So many come from a recursion that is deep itself. To nest deeper costs little beside it, and a queue that is full
/// costs much.
inline constexpr std::uint32_t long_queue = 4096;
/// KMP_ENABLE_TASK_THROTTLING; false: queues may grow as long as there is memory. Written at the start.
inline bool throttle_tasks = true;

/// Sets the thread's queue_limit by what it has run since it was set last (queue_limit.cpp).
[[gnu::noinline]] void weigh_tasks(thread& t) noexcept;

/// A quarter of the thread's stack is left.
[[nodiscard, gnu::noinline]] bool stack_allows_nesting(thread& t) noexcept;

/// New children of the current task are to run inside their creation.
[[nodiscard]] inline bool runs_at_once(thread& t) noexcept {
  task_context& c = t.tasks;
  if (t.current->is_final) return true;
  bool const alone = t.team->here == 1;
  std::uint32_t const queued = c.queue.size() + t.team->tasks.shared.urgent();  // those lie in no thread's queue
  if (!alone) {
    if (queued < shortest_queue || !throttle_tasks) return false;  // no limit is lower
    if (c.ran >= c.next_weighing) [[unlikely]]
      weigh_tasks(t);
    // A thread that holds a mutex which the task takes would wait for itself.
    if (queued < c.queue_limit || (queued < longest_queue && has_taken_mutex)) return false;
  }
  if (c.nested_inline < (alone ? inline_limit_alone : inline_limit)) return true;
  return queued >= long_queue && stack_allows_nesting(t);
}

/// A task is about to be handed over, or to run in place: those who observe it are told. `list`: its dependences.
[[gnu::cold]] void tell_made(thread& t, explicit_task& x, const dependence* list = nullptr,
                             std::size_t count = 0) noexcept;
[[gnu::cold]] void invoke_observed(thread& t, explicit_task& x) noexcept;

inline void invoke(thread& t, explicit_task& x) noexcept {
  if (cold::any()) [[unlikely]]
    return invoke_observed(t, x);
  if (x.is_clang)
    x.code.routine(static_cast<std::int32_t>(t.gtid), x.arguments);
  else
    x.code.plain(x.arguments);
}

/// The same, for a task that was stolen: measures how long it takes.
[[gnu::noinline]] void invoke_weighed(thread& t, explicit_task& x) noexcept;

[[gnu::noinline]] void report_remotely(thread* t, scope& s, std::uint64_t units) noexcept;

/// Counts a completion below `s`. The caller must not touch `s` afterwards.
inline void report(thread* t, scope& s, std::uint64_t units) noexcept {
  if (t != nullptr && s.owner.load(std::memory_order_relaxed) == t) [[likely]]
    s.local -= units;
  else
    report_remotely(t, s, units);
}

/// The body, with the thread set up for it.
inline void run_body(thread& t, explicit_task& x) noexcept {
  task_context& c = t.tasks;
  task* const before = t.current;
  std::uint32_t const base = c.base;
  c.base = c.queue.bottom();
  x.owner.store(&t, std::memory_order_relaxed);
  x.started = true;
  t.current = &x;
  trace::count(c.ran);
  if (c.weighs == &x) [[unlikely]]
    invoke_weighed(t, x);
  else
    invoke(t, x);
  t.current = before;
  c.base = base;
}

/// After each task. Only a crowded team's members have others on their carrier that may wait for it.
inline void after_task(thread& t) noexcept {
  if (t.team->crowded) [[unlikely]]
    sched::between_steps(*t.fiber);
}

[[gnu::noinline]] void execute_unusual(thread& t, explicit_task& x) noexcept;
[[gnu::noinline]] void complete_unusual(thread* t, explicit_task& x) noexcept;

/// Runs a task that was taken out of a queue.
inline void execute(thread& t, explicit_task& x) noexcept {
  // Relaxed: a thread that sees a cancellation late runs a task that need not be run.
  if ((x.flags | t.team->cancelled.load(std::memory_order_relaxed)) != 0) [[unlikely]]
    return execute_unusual(t, x);
  run_body(t, x);
  if (x.siblings == nullptr && x.local == x.remote.load(std::memory_order_acquire)) [[likely]] {
    scope& outer = *x.outer.load(std::memory_order_relaxed);
    t.tasks.give(&x, x.size_class);
    report(&t, outer, scope::whole);
  } else {
    complete_unusual(&t, x);
  }
}

/// `x`, of a scope of another thread's, and what lies on top of the own queue.
[[gnu::noinline]] void execute_foreign(thread& t, explicit_task& x) noexcept;

/// Runs what a search has found. The caller looks at what it waits for in between, but perhaps only after a few.
inline void execute_found(thread& t, explicit_task& x) noexcept {
  if (x.outer.load(std::memory_order_relaxed)->owner.load(std::memory_order_relaxed) == &t)
    execute(t, x);
  else
    execute_foreign(t, x);
  after_task(t);
}

[[gnu::noinline]] void end_undeferred_unusual(thread& t, explicit_task& x) noexcept;
[[gnu::noinline]] void leave_undeferred_to_event(thread& t, explicit_task& x) noexcept;
[[gnu::noinline]] void leave_undeferred_to_children(thread& t, explicit_task& x) noexcept;

/// A task that runs in place: its maker waits until its body has ended and its event, if any, is fulfilled.
inline void begin_undeferred(thread& t, explicit_task& x) noexcept {
  task_context& c = t.tasks;
  x.flags |= explicit_task::undeferred;
  if (cold::any()) [[unlikely]]
    tell_made(t, x);
  x.base_before = c.base;
  c.base = c.queue.bottom();
  x.owner.store(&t, std::memory_order_relaxed);
  x.started = true;
  t.current = &x;
  ++c.nested_inline;
  trace::count(c.ran);
}

/// Back to the task around.
inline void leave_undeferred(thread& t, const explicit_task& x) noexcept {
  --t.tasks.nested_inline;
  t.current = x.parent;
  t.tasks.base = x.base_before;
}

/// Of an undeferred task with an event, its maker waits for the body (OpenMP 5.2, section 12.5). gcc's programs know a
/// runtime that waits for the event as well.
[[nodiscard]] inline bool awaits_event(const explicit_task& x) noexcept {
  return (x.flags & explicit_task::detached) != 0 && !x.is_clang;
}

inline void end_undeferred(thread& t, explicit_task& x) noexcept {
  constexpr std::uint8_t usual = explicit_task::undeferred | explicit_task::outside | explicit_task::watched;
  if ((x.flags & ~usual) != 0) [[unlikely]]
    end_undeferred_unusual(t, x);
  leave_undeferred(t, x);
  if (x.siblings != nullptr) [[unlikely]]
    forget_dependences(x);
  if ((x.flags & explicit_task::detached) != 0 && x.is_clang) [[unlikely]]
    leave_undeferred_to_event(t, x);
  else if (x.local == x.remote.load(std::memory_order_acquire)) [[likely]]
    release_task(&t, x);
  else
    leave_undeferred_to_children(t, x);
}

inline void run_undeferred(thread& t, explicit_task& x) noexcept {
  begin_undeferred(t, x);
  invoke(t, x);
  end_undeferred(t, x);
  after_task(t);
}

/// A task of gcc's code that runs in place on its maker's variables, and that nobody observes.
[[gnu::noinline]] void run_in_place(thread& t, void (*fn)(void*), void* data, bool is_final) noexcept;
/// The same inside a final task. All that such a task makes runs in place, too: nothing of it is ever outstanding, so a
/// call is all it takes. Requires: the current task is final.
[[gnu::noinline]] void run_included(thread& t, void (*fn)(void*), void* data) noexcept;

/// A task that was made and is not handed over, because its region or taskgroup is cancelled.
[[gnu::cold]] void drop_new_task(thread& t, explicit_task& x) noexcept;

/// Hands the task over, to be run now or later, by any member. It has no dependences (depend.hpp has the other form).
inline void spawn(thread& t, explicit_task& x) noexcept {
  if (cold::any()) [[unlikely]]
    tell_made(t, x);
  x.outer.load(std::memory_order_relaxed)->local += scope::whole;
  enqueue(t, x);
}

/// The same as spawn or run_undeferred, whichever is due, for one that somebody observes. A race detector is to see
/// that its maker does not wait for it.
[[gnu::cold]] void start_observed(thread& t, explicit_task& x) noexcept;

// --- waiting

[[nodiscard]] inline bool is_satisfied(std::uint64_t local, std::uint64_t remote, bool subtrees) noexcept {
  std::uint64_t const outstanding = local - (remote & ~scope::parked);
  return subtrees ? outstanding == 0 : (outstanding & (scope::subtree - 1)) == 0;
}

/// For the scope's owner: until all children's bodies have ended, or all subtrees are complete.
struct scope_wait {
  scope& s;
  bool subtrees;

  bool done() const noexcept { return is_satisfied(s.local, s.remote.load(std::memory_order_acquire), subtrees); }
  /// From here on whoever makes done() true unparks the owner. False: it is true already.
  bool arm() const noexcept {
    s.awaited.store(s.local | (subtrees ? 1 : 0), std::memory_order_relaxed);
    return !is_satisfied(s.local, s.remote.fetch_or(scope::parked, std::memory_order_acq_rel),
                         subtrees);  // pairs with report
  }
  void disarm() const noexcept { s.remote.fetch_and(~scope::parked, std::memory_order_relaxed); }
};

/// Waits, running tasks of the team meanwhile, until every descendant of the implicit task is complete. At once for a
/// member that has made no task since its last barrier, and has run none.
inline void complete_descendants(thread& t) noexcept {
  const task& x = t.implicit;
  bool const unused = x.inner == &x && x.siblings == nullptr && t.tasks.ran == 0 && x.local == 0 &&
                      x.remote.load(std::memory_order_acquire) == 0;  // pairs with report_remotely
  if (!unused) [[unlikely]]
    complete_made_descendants(t);
}

/// Until a number that others change, and then unpark the fiber.
template <class Condition>
struct condition_wait {
  Condition condition;
  bool done() const noexcept { return condition(); }
  bool arm() const noexcept { return !condition(); }
  void disarm() const noexcept {}
};
template <class Condition>
condition_wait(Condition) -> condition_wait<Condition>;

/// Before and after park(): makes the thread's work and itself known to the others.
void prepare_to_park(thread& t, bool descendants_only) noexcept;
void after_park(thread& t) noexcept;

/// Until `w.done()`, running what find_task gives.
template <class Wait>
void run_until(thread& t, const Wait& w, reach what) noexcept {
  team& tm = *t.team;
  while (!w.done()) {
    if (explicit_task* x = find_task(t, what, search::now_and_then)) {
      execute_found(t, *x);
      continue;
    }
    explicit_task* x = nullptr;
    sched::spinner spin(*t.fiber);
    if (!tm.crowded) {
      bool over = false;
      while (spin.once() || (t.tasks.is_pausing() && !spin.core_is_wanted())) {
        if ((over = w.done())) break;
        if (team_tasks::invites(tm.tasks.queued.load(std::memory_order_relaxed)) &&
            (x = find_task(t, what, search::now_and_then)) != nullptr)
          break;
      }
      if (over || x != nullptr) {
        spin.finished();
        if (x != nullptr) execute_found(t, *x);
        continue;
      }
    }
    prepare_to_park(t, what != reach::anything);
    if (w.arm()) {
      x = find_task(t, what, search::thorough);
      if (x == nullptr) sched::park();
    }
    w.disarm();
    after_park(t);
    spin.finished();
    if (x != nullptr) execute_found(t, *x);
  }
}

[[gnu::noinline]] void wait_children_unusual(thread& t) noexcept;

/// taskwait: until the current task's children are complete.
inline void wait_children(thread& t) noexcept {
  task& x = *t.current;
  // The children on top of the queue, as long as there are some: nearly always all of them.
  if (x.inner == &x && x.siblings == nullptr) [[likely]] {
    scope_wait const bodies{x, false};
    for (;;) {
      if (bodies.done()) return;
      explicit_task* const child = t.team->tasks.shared.is_urgent() ? nullptr : t.tasks.queue.pop(t.tasks.base);
      if (child == nullptr) break;
      execute(t, *child);
      after_task(t);
    }
  }
  wait_children_unusual(t);
}

}  // namespace amity::omp
