/// Waiting for the tasks of a scope: on its owner's fiber, which runs those on top that may run there, and where
/// anybody may wait (M1 to M4 of README.md).

#include "amity/base/processor.hpp"
#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/timer.hpp"
#include "amity/sched/tasks/internal/common_queues.hpp"
#include "amity/sched/tasks/internal/engine.hpp"
#include "amity/sched/tasks/internal/polls_between_tasks.hpp"
#include "amity/sched/tasks/internal/theft.hpp"
#include "amity/sched/tasks/observed.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sys/process_barrier.hpp"

namespace amity::sched {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

namespace {

void sleep_at_least(unsigned microseconds) noexcept {
  instant const end = instant_after(std::chrono::microseconds(microseconds));
  while (now() < end) park_until(end);
}

}  // namespace

namespace detail {

void end_elsewhere(scope& s) noexcept {
  // Read before: the scope may be gone when it has been counted.
  worker* const owner = s.owner;
  auto* const when_empty = s.when_empty;
  // Release: what the task did; acquire: what the others did, for when_empty. Pairs with join.
  if (s.elsewhere.fetch_sub(scope::one, std::memory_order_acq_rel) - scope::one != scope::waiting) return;
  if (owner != nullptr)
    unpark(owner->self);
  else
    when_empty(s);
}

namespace {

/// `t`, which the caller took out, may run on top of a wait for `s`: it is within it. Or it is what is left of one that
/// was run where it lay; then its scope may be gone. To be sure that nobody runs it during the look, one claims it.
bool may_run_within(task& t, const scope& s) noexcept {
  if (t.within == &s) return true;
  std::uint8_t free = 0;
  // Relaxed: nothing is passed on by it; the thread that runs the task got it from a queue or from its maker.
  if (!t.detached && !t.claimed.compare_exchange_strong(free, 1, memory_order_relaxed)) return true;
  const scope* x = t.within;
  while (x != nullptr && x != &s) x = x->outer;
  if (!t.detached) t.claimed.store(0, memory_order_release);  // pairs with the next claim
  return x != nullptr;
}

/// The oldest of what was put aside here that may run on top of a wait for `s`; the others stay, behind it.
task* take_aside_within(worker& w, const scope& s) noexcept {
  if (w.aside.count.load(memory_order_relaxed) == 0) return nullptr;
  task* const t = take_aside(w);
  if (t == nullptr || may_run_within(*t, s)) return t;
  put_aside(*t, w);
  return nullptr;
}

/// Runs what is here and may run here; `t` first, which was popped.
void run_own(worker& w, scope& s, std::uint32_t base, task* t) noexcept {
  without_extras const on_top(w);
  if (w.policy.of != nullptr) return run_within_domain(w, s);
  observed_loop const loop;
  for (;; t = nullptr) {
    if (t == nullptr) {
      if (is_empty(s) || stack_is_low(w)) return;
      t = high_tasks.within(s, order::fifo).get();
      set_look_below(w);
      if (t == nullptr) t = w.queue.pop(base);
      if (t == nullptr) t = take_aside_within(w, s);
      if (t == nullptr) t = arrived_tasks.within(s, order::fifo).get();
      if (t == nullptr) t = low_tasks.within(s, order::fifo).get();
      if (t == nullptr) return;
    }
    if (stack_is_low(w) || !may_run_within(*t, s)) {
      put_aside(*t, w);  // not ours to run here; others may
      announce_at(w);
      continue;
    }
    loop.run(*t, w);
    let_others_on_between_tasks(w);
  }
}

}  // namespace

bool run_here(worker& w, scope& s, std::uint32_t base, task* t) noexcept {
  run_own(w, s, base, t);
  return wait_briefly(w, [&s] { return is_empty(s); });
}

bool join_slowly(worker& w, scope& s, std::uint32_t base, task* t) noexcept {
  if (run_here(w, s, base, t)) return true;
  // From here on all is counted in `elsewhere`. Nobody touches `local`: this fiber waits.
  long const change = scope::one * s.local + scope::waiting;
  s.local = 0;
  if (s.elsewhere.fetch_add(change, std::memory_order_acq_rel) + change == scope::waiting) return true;
  watch_for_stalls();
  wait_noted const noted(*w.self, wait_kind::finish, &s, __builtin_return_address(0));
  while (!is_shared_and_empty(s)) park();
  return true;
}

}  // namespace detail

void run_newest_within(worker& w, scope& s) noexcept {
  without_extras const on_top(w);
  if (w.policy.of != nullptr) return run_within_domain(w, s);
  observed_loop const loop;
  while (!is_shared_and_empty(s) && !stack_is_low(w)) {
    task* const t = w.queue.pop(w.queue.bottom() - 1);
    if (t == nullptr) return;
    if (!detail::may_run_within(*t, s)) return enqueue(*t, w);
    loop.run(*t, w);
    let_others_on_between_tasks(w);
  }
}

void share(scope& s, worker& w) noexcept {
  worker* const maker = s.maker.load(memory_order_relaxed);
  if (maker == nullptr) return;
  s.maker.store(nullptr, memory_order_relaxed);  // M1
  if (maker != &w) {
    static_cast<void>(sys::await_all_stores());                                   // M2
    while (maker->counting.load(memory_order_acquire) == &s) sleep_at_least(20);  // M3; pairs with count_as_maker
  }
  s.elsewhere.fetch_add(scope::one * s.local + scope::waiting, std::memory_order_acq_rel);  // M4
}

}  // namespace amity::sched
