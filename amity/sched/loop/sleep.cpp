#include "amity/sched/loop/internal/sleep.hpp"

#include "amity/base/processor.hpp"
#include "amity/sched/cores/contention.hpp"
#include "amity/sched/fiber/registry.hpp"
#include "amity/sched/idle/wake_cost.hpp"
#include "amity/sched/loop/internal/claim.hpp"
#include "amity/sched/loop/internal/progress.hpp"
#include "amity/sched/loop/internal/signals.hpp"
#include "amity/sched/loop/internal/timers.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/current_cpu.hpp"
#include "amity/sys/futex.hpp"
#include "amity/trace/counters.hpp"

namespace amity::sched {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_seq_cst;

void close_ears(carrier& c) noexcept {
  if (c.deaf || fibers_stay()) return;
  c.open_signals = set_signal_mask(deaf_mask());
  c.deaf = true;
}

void open_ears(carrier& c) noexcept {
  c.deaf = false;
  set_signal_mask(c.open_signals);
}

namespace {

/// Somebody in a loop, without an identity, wanted the monitor and there was none. True if this carrier need not see to
/// it: it has started it, with the identity of its own fiber, which nobody else runs meanwhile, or the system refuses.
[[gnu::cold, gnu::noinline]] bool start_owed_monitor(carrier& c) noexcept {
  fiber& own = *c.native;
  if (c.kind == carrier_kind::guest) {  // its identity never goes elsewhere
    arm_monitor();
    return true;
  }
  std::uint32_t free = 0;
  // As in try_claim, step C2.
  if (!own.claimed.compare_exchange_strong(free, 1, memory_order_acquire, memory_order_relaxed)) return false;
  wear(c, own);
  arm_monitor();
  unclaim(c, own);
  return true;
}

/// The carrier is awake, whoever woke it.
void wake_up(carrier& c) noexcept {
  c.asleep.store(0, memory_order_seq_cst);  // before the look at the keeper in run (W3), and at `steered`
  if (is_steered(c)) [[unlikely]]
    end_steering(c);
  if (c.sleeps_on_events.load(memory_order_relaxed)) [[unlikely]]
    end_attending();
}

/// The OS thread of `c` goes on, which sleeps; `asleep` is 0 already.
void rouse(carrier& c) noexcept {
  // Relaxed: it was written before the `asleep` that the caller has taken back.
  if (c.sleeps_on_events.load(memory_order_relaxed)) [[unlikely]]
    wake_attendant();  // or it has left by itself, and the next one sleeps a moment less
  else
    sys::futex_wake(c.asleep, 1);
}

}  // namespace

void wait_until(carrier& c, instant due) noexcept {
  if (c.sleeps_on_events.load(memory_order_relaxed)) [[unlikely]] {
    sleep_for_progress(due);
  } else if (due == never) {
    sys::futex_wait(c.asleep, 1);
  } else {
    instant const left = due - now();
    if (left > 0) sys::futex_wait_for(c.asleep, 1, left);
  }
}

void sleep(carrier& c) noexcept {
  if (monitor_is_owed() && !start_owed_monitor(c)) [[unlikely]] {
    base::cpu_relax();  // the fiber that runs with this carrier's identity may be what needs to be rescued
    return;
  }
  keep_handlers_off(c);
  if (c.kind == carrier_kind::helper) sleep_apart(c, first_scheduler(), sys::ticks());
  c.sleeps_on_events.store(some_progress() && begin_to_attend(c), memory_order_relaxed);
  // Dekker with publish: it sets the permit and the summary, then reads `asleep`; this sets `asleep`, then reads them.
  // All seq_cst (README, step S2).
  c.asleep.store(1, memory_order_seq_cst);
  bool const busy = (c.kind == carrier_kind::shell ? shell_has_work(c) : work_in_sight(c)) ||
                    c.ends.load(memory_order_seq_cst) != 0 ||           // pairs with end_shell
                    c.signalled.load(memory_order_seq_cst) != nullptr;  // pairs with send_round
  if (busy) {
    wake_up(c);
    base::cpu_relax();
    return;
  }
  trace::count(c.stats.sleeps);
  std::uint64_t const before = sys::ticks();
  c.asleep_since.store(before, memory_order_relaxed);
  if (first_deadline.load(memory_order_relaxed) == never) [[likely]]  // whoever adds one sees to it (W2)
    wait_until(c, never);
  else
    sleep_beside_timers(c);
  c.asleep_since.store(0, memory_order_relaxed);
  trace::count(c.stats.asleep, sys::ticks() - before);
  wake_up(c);
}

bool wake_carrier(carrier& c, carrier* waker) noexcept {
  if (waker != nullptr) note_cpu(*waker);
  bool const apart = waker != nullptr && begin_steering(c, *waker);
  if (c.asleep.exchange(0, memory_order_seq_cst) == 0) {
    if (apart) drop_steering(c);
    return false;
  }
  if (waker == nullptr) {
    rouse(c);
    return true;
  }
  std::uint64_t const before = sys::ticks();
  if (apart) steer(c, *waker);
  rouse(c);
  std::uint64_t const after = sys::ticks();
  // Where the two share a core, the kernel lets the woken thread run here and now: that is no cost of the wake. If it
  // can't be told, a wake which lasts long is taken for it.
  bool const long_away = after - before > sys::ticks_of_microseconds(away_limit_us);
  bool const shared = sys::current_cpu_is_known ? company_on(sys::current_cpu(), *waker) != nullptr : long_away;
  if (!shared)
    note_wake(after - before);
  else if (long_away)
    mark_shared(*waker, after);
  return true;
}

}  // namespace amity::sched
