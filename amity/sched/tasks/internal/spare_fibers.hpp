#pragma once

/// Fibers of the pool that wait to be given tasks: how one is made and seated, waits, is taken, and comes back. Those
/// of the engine are one such list; a domain has one, or one for each number.
///
///     spare_fibers list;                                            // under a lock of its owner's
///     if (worker* w = list.pop(lock, [](worker& w) { ... })) unpark(w->self);
///     list.push(w, lock);                                           // by the fiber itself, when it has no more to do

#include <atomic>
#include <mutex>
#include <utility>

#include "amity/base/processor.hpp"
#include "amity/sched/tasks/internal/running_workers.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::sched {

struct carrier;
struct ready_group;

class spare_fibers {
 public:
  /// `w` waits from now on; it may be taken before this returns. The caller looks for tasks afterwards: what was put
  /// before it could see the list has told nobody (T3, D3).
  void push(worker& w, sys::spin_lock& lock) noexcept {
    if (std::exchange(w.is_counted, false)) running.add(-1);
    w.spare.taken.store(false, std::memory_order_relaxed);
    std::lock_guard const held(lock);
    w.spare.next = first_;
    first_ = &w;
    count_.fetch_add(1, std::memory_order_seq_cst);  // pairs with is_empty
    base::fence_after_rmw();                         // before the look for tasks, which is relaxed
  }

  /// One that the caller lets go on; null: there is none. `say(w)` writes what it is taken for. Its own fields may
  /// still be in use: it is on its way to wait.
  template <class Say>
  [[nodiscard]] worker* pop(sys::spin_lock& lock, Say say) noexcept {
    if (looks_empty()) return nullptr;
    std::lock_guard const held(lock);
    worker* const w = first_;
    if (w == nullptr) return nullptr;
    first_ = w->spare.next;
    count_.fetch_sub(1, std::memory_order_relaxed);
    say(*w);
    if (!w->bound) running.add(1);
    w->spare.taken.store(true, std::memory_order_release);  // pairs with await_work
    return w;
  }

  /// seq_cst: part of a look before a sleep; pairs with push (T3, D3).
  [[nodiscard]] bool is_empty() const noexcept { return count_.load(std::memory_order_seq_cst) == 0; }
  /// A hint.
  [[nodiscard]] bool looks_empty() const noexcept { return count_.load(std::memory_order_relaxed) == 0; }
  /// All that were made wait here. Under the lock.
  [[nodiscard]] bool all_are_here() const noexcept {
    return count_.load(std::memory_order_relaxed) == made_.load(std::memory_order_relaxed);
  }

  /// How many were made so far, those at work among them. Written under the lock of those that make some.
  [[nodiscard]] int made() const noexcept { return made_.load(std::memory_order_relaxed); }
  void note_made() noexcept { made_.fetch_add(1, std::memory_order_relaxed); }

  /// In the child of a fork: they are gone.
  void forget() noexcept {
    first_ = nullptr;
    count_.store(0, std::memory_order_relaxed);
    made_.store(0, std::memory_order_relaxed);
  }

 private:
  worker* first_ = nullptr;
  std::atomic<int> count_{0};
  std::atomic<int> made_{0};
};

/// Seats for fibers at home on one carrier: in one group until it is full, then in the next.
struct seats_at_home {
  ready_group* group = nullptr;
  int taken = 0;

  /// Seats the fiber of `w`, which begins with `main` at its first permit. `alone`: nobody else's carrier runs it.
  void give(worker& w, carrier& home, bool alone, void (*main)(void*)) noexcept;
};

/// The same where each fiber stays on its own OS thread.
void seat_on_own_thread(worker& w, void (*main)(void*)) noexcept;

/// A fiber of the shell pool with a worker, which nobody else sees before enlist. `native`: the helper whose native
/// fiber it should be, or 0. Null, and a warning the first time: the system refuses a thread.
[[nodiscard]] worker* make_spare_worker(int native) noexcept;

/// The system has refused the pool a thread, and none of `list` is left: what waits for one is begun when one comes
/// back, which looks for tasks itself (T3, D3).
[[nodiscard]] bool are_refused(const spare_fibers& list) noexcept;

/// In the child of a fork, which may be given threads.
void forget_refusals() noexcept;

/// On its fiber: waits until it is taken.
void await_work(worker& w) noexcept;

/// What such a fiber does for ever: `Serve` each time it is taken.
template <void (*Serve)(worker&) noexcept>
void spare_main(void* pointer) noexcept {
  worker& w = *static_cast<worker*>(pointer);
  current_worker = &w;
  for (;;) {
    await_work(w);
    w.is_counted = !w.bound;  // by pop
    Serve(w);
  }
}

}  // namespace amity::sched
