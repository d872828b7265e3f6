#pragma once

/// What the task files share: making a descriptor, queueing, running, completing, and waiting with work in hand. Not for the ABIs.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "amity/omp/rt/task.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/sched/park.hpp"
#include "amity/sched/spin.hpp"

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

[[nodiscard]] explicit_task* new_task_at(thread& t, const birthplace& where, std::size_t bytes,
                                         std::size_t align) noexcept;

/// Gives the descriptor and its arguments back. `t`: the calling thread, or null if it has no pool.
void release_task(thread* t, explicit_task& x) noexcept;

// --- queues

/// Puts a ready task, counted already, where members of the team find it.
void enqueue(thread& t, explicit_task& x) noexcept;
/// The same on a thread that is not at work for the task's team, or not for its ancestors.
void enqueue_outside(explicit_task& x) noexcept;

/// The team that the task belongs to.
inline team& team_of(const explicit_task& x) noexcept { return *static_cast<task_context*>(x.home)->self->team; }

/// True if `a` is above `x` in the tree. `x` may be in a queue, and be taken out meanwhile: then the answer means nothing, but nothing
/// breaks (deque.hpp: steal).
[[nodiscard]] bool is_descendant(const explicit_task& x, const scope& a) noexcept;

/// A task that the current task may run: only a descendant of it, or anything.
[[nodiscard]] explicit_task* find_task(thread& t, bool descendants_only) noexcept;

// --- running and completing

/// Runs a task that was taken out of a queue.
void execute(thread& t, explicit_task& x) noexcept;

/// The rest of a task whose body has ended: nothing of its own is left but, perhaps, children.
void complete(thread* t, explicit_task& x) noexcept;

/// Counts a completion below `s`. The caller must not touch `s` afterwards.
void report(thread* t, scope& s, std::uint64_t units) noexcept;

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
    return !is_satisfied(s.local, s.remote.fetch_or(scope::parked, std::memory_order_acq_rel), subtrees);  // pairs with report
  }
  void disarm() const noexcept { s.remote.fetch_and(~scope::parked, std::memory_order_relaxed); }
};

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
void prepare_to_park(thread& t) noexcept;
void after_park(thread& t) noexcept;

/// Until `w.done()`, running what find_task gives.
template <class Wait>
void run_until(thread& t, const Wait& w, bool descendants_only) noexcept {
  team& tm = *t.team;
  while (!w.done()) {
    if (explicit_task* x = find_task(t, descendants_only)) {
      execute(t, *x);
      continue;
    }
    explicit_task* x = nullptr;
    sched::spinner spin(*t.fiber);
    if (!tm.crowded) {
      bool over = false;
      while (spin.once()) {
        if ((over = w.done())) break;
        if (tm.tasks.queued.load(std::memory_order_relaxed) != 0 && (x = find_task(t, descendants_only)) != nullptr) break;
      }
      if (over || x != nullptr) {
        spin.finished();
        if (x != nullptr) execute(t, *x);
        continue;
      }
    }
    prepare_to_park(t);
    if (w.arm()) {
      x = find_task(t, descendants_only);
      if (x == nullptr) sched::park();
    }
    w.disarm();
    after_park(t);
    spin.finished();
    if (x != nullptr) execute(t, *x);
  }
}

}  // namespace amity::omp
