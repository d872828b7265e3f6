#include "amity/sched/loop/park.hpp"

#include "amity/base/assert.hpp"
#include "amity/base/processor.hpp"
#include "amity/sched/cores/contention.hpp"
#include "amity/sched/cores/internal/core_limit.hpp"
#include "amity/sched/cores/internal/idle_time.hpp"
#include "amity/sched/cores/locality.hpp"
#include "amity/sched/cores/take_turns.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/idle/monitor_limits.hpp"
#include "amity/sched/loop/internal/claim.hpp"
#include "amity/sched/loop/internal/own_threads.hpp"
#include "amity/sched/loop/internal/progress.hpp"
#include "amity/sched/loop/internal/sleep.hpp"
#include "amity/sched/loop/internal/switch.hpp"
#include "amity/sched/loop/internal/task_source.hpp"
#include "amity/sched/loop/internal/timers.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/loop/upcalls.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/context.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/trace/counters.hpp"

namespace amity::sched {

namespace {

using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

[[gnu::always_inline]] AMITY_NO_SANITIZE_THREAD inline void jump(carrier& c, void** save, void* to_sp,
                                                                 std::uintptr_t to_thread_pointer) noexcept {
  if (to_thread_pointer == c.installed) {
    amity_switch(save, to_sp);
    return;
  }
  c.installed = to_thread_pointer;
  if (identity_mode() == sys::thread_pointer_mode::instruction)
    amity_switch_tp(save, to_sp, to_thread_pointer);
  else
    amity_switch_tp_syscall(save, to_sp, to_thread_pointer);
}

/// The loop is about to run `f`, or a guest to go on with it, which buries the fibers at home on `c` that have become
/// ready since it looked for them. Dekker with publish: it sets the permit and the summary, then reads `running`; this
/// sets `running`, then reads them. All seq_cst (README, step S4).
void bury(carrier& c, fiber& f) noexcept {
  c.running.store(&f, memory_order_seq_cst);
  if (has_permits(c)) arm_monitor();
}

/// Before `c` goes to something that may run for long: keepers of timers are in their loops.
void leave_timers(carrier& c) noexcept {
  // seq_cst: after the end of a sleep; pairs with resign_as_keeper (README-timers.md, W3).
  if (timer_keeper.load(memory_order_seq_cst) == &c) [[unlikely]]
    resign_as_keeper(c);
}

/// Runs `f`, whose claim `c` holds, until something switches back to the loop.
AMITY_NO_SANITIZE_THREAD void run(carrier& c, fiber& f) noexcept {
  wear(c, f);  // the monitor may have to be started
  if (monitor_is_owed()) [[unlikely]]
    arm_monitor();
  leave_timers(c);
  if (c.deaf) open_ears(c);
  bury(c, f);
  trace::count(c.events);
  jump(c, &c.loop_sp, f.sp, f.thread_pointer);
  c.running.store(nullptr, memory_order_relaxed);  // released by land
  land(c);
  trace::count(c.events);
}

bool is_guest_of(const carrier& c, const fiber& f) noexcept { return c.native == &f && c.kind == carrier_kind::guest; }

/// Another thread is about to raise a signal for `f`, the caller's: its handler runs here and now. Every system call
/// lets in what has come.
[[gnu::cold, gnu::noinline]] void let_signals_come(const fiber& f) noexcept {
  while (signals_are_coming(f)) sys::raw_syscall(SYS_sched_yield);
  sys::raw_syscall(SYS_gettid);
}

/// `f` is about to leave `c`, or to wait there as its guest. From here on nobody raises a signal for it on this OS
/// thread, where a handler would run in place of the loop or with another's identity (host/README.md, H8). Call it
/// before another fiber is claimed, which a handler would keep.
[[gnu::always_inline]] inline void begin_to_leave(carrier& c, fiber& f) noexcept {
  bool const waits = is_guest_of(c, f);
  for (;;) {
    waits ? c.guest_waits.store(true, memory_order_relaxed) : c.leaving.store(&f, memory_order_relaxed);
    // Dekker with raise_there, which makes all threads pass a barrier between its flag and its look at these.
    std::atomic_signal_fence(memory_order_seq_cst);
    if (!signals_are_coming(f)) [[likely]]
      return;
    waits ? c.guest_waits.store(false, memory_order_relaxed) : c.leaving.store(nullptr, memory_order_relaxed);
    let_signals_come(f);
  }
}

/// A guest that has waited goes on.
void end_wait(carrier& c, fiber& own) noexcept {
  bury(c, own);
  c.guest_waits.store(false, memory_order_relaxed);
  trace::count(c.events);
  if (signals_are_due(own)) [[unlikely]]
    static_cast<void>(deliver_signals(own));
}

/// A guest waits: its OS thread runs other fibers, on top of the waiting one's stack, until its own has a permit.
void wait_as_guest(carrier& c, fiber& own) noexcept {
  idle_time idle(c);
  bool const limited = identity_mode() == sys::thread_pointer_mode::fixed;
  if (limited) give_core(c);
  c.wait_frame = __builtin_frame_address(0);
  begin_to_leave(c, own);
  // What waits from here on comes with a permit (hurry_guest_with_signals).
  while (!signals_are_due(own) && !consume_permit(own)) {
    fiber* f = claim_own(c);
    std::uint64_t const now = sys::ticks();
    if (f == nullptr) f = claim_elsewhere(c, idle.since(now), now);
    if (f == nullptr) f = claim_for_tasks(c);
    if (f != nullptr) {
      idle.found_work();
      run(c, *f);
    } else if (idle.over(now)) {
      c.running.store(nullptr, memory_order_relaxed);
      sleep(c);
      idle.restart();
    } else {
      keep_handlers_off(c);
      idle.pause(now);
    }
  }
  idle.found_work();
  leave_timers(c);
  if (limited) take_core(c);
  end_wait(c, own);
}

/// Switches from `f`, which is leaving `c`, to `next`, whose claim `c` holds.
[[gnu::always_inline]] AMITY_NO_SANITIZE_THREAD inline void switch_to(carrier& c, fiber& f, fiber& next) noexcept {
  c.running.store(&next, memory_order_release);  // pairs with take_census (starved_tasks.cpp)
  trace::count(c.events);
  jump(c, &f.sp, next.sp, next.thread_pointer);
}

[[gnu::cold, gnu::noinline]] void take_signals(fiber& f) noexcept;

/// `f` is back, perhaps on another carrier than before.
[[gnu::always_inline]] inline void arrive(fiber& f) noexcept {
  land(*f.on);
  if (signals_are_due(f)) [[unlikely]]
    take_signals(f);
}

/// Switches from `f`, which runs on `c`, to the next ready fiber or to the loop.
AMITY_NO_SANITIZE_THREAD void switch_away(carrier& c, fiber& f) noexcept {
  trace::count(c.stats.switches);
  // A guest's own fiber goes first, and is resumed by its loop alone; a shell's OS thread carries nobody else.
  bool const to_loop = c.kind == carrier_kind::shell || (c.kind == carrier_kind::guest && own_permit(*c.native)) ||
                       (takes_turns(c.core.turn) && should_rest(c.core.turn, sys::ticks()));
  begin_to_leave(c, f);
  fiber* const next = to_loop ? nullptr : claim_own(c);
  if (next != nullptr) {
    // A thread that makes `f` ready from here on finds it leaving. Dekker with arm_if_buried: the claim was a
    // read-modify-write between `leaving` and the look at the permit (README, step S5).
    base::fence_after_rmw();
    if (own_permit(f)) arm_monitor();
    switch_to(c, f, *next);
  } else {
    jump(c, &f.sp, c.loop_sp, c.native->thread_pointer);
  }
  arrive(f);
}

/// Switches from `f` to the loop, where a carrier that has become the keeper of timers looks after them.
AMITY_NO_SANITIZE_THREAD void leave_for_loop(carrier& c, fiber& f) noexcept {
  trace::count(c.stats.switches);
  begin_to_leave(c, f);
  jump(c, &f.sp, c.loop_sp, c.native->thread_pointer);
  arrive(f);
}

void take_signals(fiber& f) noexcept {
  leave_guest_for_signals(f);
  if (signals_are_due(f)) static_cast<void>(deliver_signals(f));
}

/// `f`, which was about to leave `c`, found nobody to go to.
void stay(carrier& c, fiber& f) noexcept {
  is_guest_of(c, f) ? c.guest_waits.store(false, memory_order_relaxed) : c.leaving.store(nullptr, memory_order_relaxed);
  if (signals_are_due(f)) [[unlikely]]  // the runtime's signal may have come meanwhile, and been put off
    take_signals(f);
}

/// What runs on an awake carrier may be waiting, in user code, for a fiber that has just become ready beneath it.
void arm_if_buried(const ready_group& g, std::uint64_t mask, const carrier* waker) noexcept {
  // `leaving` first: where it names nobody any more, `running` names the next one. Pairs with switch_away (S5).
  const fiber* const leaving = g.home->leaving.load(memory_order_seq_cst);
  const fiber* const occupant = g.home->running.load(memory_order_seq_cst);  // pairs with bury (README, step S4)
  if (occupant == nullptr) return;
  bool const only_one = (mask & (mask - 1)) == 0;
  bool const runs_itself = only_one && g.members[__builtin_ctzll(mask)].load(memory_order_relaxed) == occupant;
  // One that leaves may have looked for its permit before it came.
  if (runs_itself && leaving != occupant) return;
  bool const in_loop = waker != nullptr && waker->running.load(memory_order_relaxed) == nullptr;  // the caller's own
  in_loop ? ask_for_monitor() : arm_monitor();
}

/// The carrier of the calling fiber; never to be called in the loop. Null in a thread without a fiber.
carrier* own_carrier() noexcept {
  const fiber* me = current_fiber;
  return me == nullptr ? nullptr : me->on;
}

/// A single fiber became ready whose home is busy with another: somebody who sleeps may as well take it. A guest only
/// where there is no helper, and a core for it: it was to wait for its own fiber.
void wake_an_idler(const carrier& home, carrier* waker) noexcept {
  if (home.running.load(memory_order_relaxed) == nullptr) return;
  int awake = 0;
  carrier* guest = nullptr;
  for (carrier* v = first_scheduler(); v != nullptr; v = v->next_scheduler) {
    if (has_gone(*v)) continue;
    if (v->asleep.load(memory_order_relaxed) == 0) {
      ++awake;
      continue;
    }
    if (v == &home || is_reserved(*v) || !may_run_fibers_of(*v, home)) continue;
    if (v->kind == carrier_kind::helper) {
      wake_carrier(*v, waker);
      return;
    }
    if (v->kind == carrier_kind::guest) guest = v;
  }
  if (guest != nullptr && awake < concurrency()) wake_carrier(*guest, waker);
}

}  // namespace

void publish(ready_group& g, std::uint64_t mask, wake how, carrier* waker) noexcept {
  carrier& home = *g.home;
  std::uint64_t const bit = std::uint64_t{1} << g.index;
  // After the permit; pairs with claim_at (README, step S1).
  if ((home.summary.load(memory_order_seq_cst) & bit) == 0) home.summary.fetch_or(bit, memory_order_seq_cst);
  if (g.while_spinning.end() != 0 && g.while_spinning.covers(sys::ticks())) [[unlikely]]
    send_to_own_threads(g, mask, waker);
  if (home.asleep.load(memory_order_seq_cst) == 0) {  // pairs with sleep (README, step S2)
    bool const on_top_are_others = how == wake::then_parks && waker != &home;
    if (how == wake::now || how == wake::unless_shared || on_top_are_others) arm_if_buried(g, mask, waker);
    return;
  }
  bool const may_leave = (how == wake::unless_shared || how == wake::crowd) && !g.exclusive && waker != nullptr &&
                         may_run_fibers_of(*waker, home);
  if (may_leave) {
    std::uint64_t const now = sys::ticks();
    weigh_guests_when_due(now);
    if (is_shared(home, now)) {
      waker->left = &g;
      if (g.left_to.load(memory_order_relaxed) != waker)  // for the monitor, which looks at leisure
        g.left_to.store(waker, memory_order_relaxed);
      return arm_monitor();
    }
  }
  wake_carrier(home, waker);
}

void land(carrier& c) noexcept {
  fiber* const left = c.leaving.load(memory_order_relaxed);  // the carrier's own
  if (left == nullptr) return;
  c.leaving.store(nullptr, memory_order_release);  // after `running`; pairs with arm_if_buried
  std::uintptr_t const before = left->seat.load(memory_order_relaxed);
  bool const at_home = before != 0 && group_of(before)->home == &c && c.kind != carrier_kind::shell;
  // Pairs with try_claim: the context is saved. From here on somebody else may run the fiber.
  left->claimed.store(0, at_home ? memory_order_release : memory_order_seq_cst);
  // The sender makes all threads pass a barrier between the flag and its look at the claim (program_signals.cpp).
  if (signals_are_due(*left)) [[unlikely]]
    return come_back_for_signals(c, *left);
  if (at_home && left->seat.load(memory_order_relaxed) == before) return;
  // Its home may have gone to sleep because the fiber was still claimed here, or it was given a new seat meanwhile;
  // the thread that gave the permit found the home awake. Dekker with work_in_sight (README, step S3).
  if (at_home) std::atomic_thread_fence(memory_order_seq_cst);
  std::uintptr_t const seat = left->seat.load(memory_order_seq_cst);
  if (seat != 0 && own_permit(*left)) publish(*group_of(seat), mask_of(seat), wake::now, &c);
}

void attach(ready_group& group) noexcept {
  carrier& home = *group.home;
  group.index = home.groups.fetch_add(1, memory_order_relaxed) % 64;
  auto& head = home.chain[group.index];
  group.next = head.load(memory_order_relaxed);
  // Pairs with the walks in claim_at and chain_ready; seq_cst, as all of S1 and S2, for those that follow a look at the
  // summary or at `asleep`.
  while (!head.compare_exchange_weak(group.next, &group, memory_order_seq_cst, memory_order_relaxed)) {
  }
}

void park() noexcept { park(*self()); }

void park(fiber& f) noexcept {
  if (consume_permit(f)) return;
  if (some_progress() && poll_before_park(f)) [[unlikely]] {
    if (f.tasks != nullptr) source_of_tasks()->after_polls();
    return;
  }
  if (f.tasks != nullptr) [[unlikely]]
    source_of_tasks()->before_wait(*f.tasks);
  carrier& c = *f.on;
  trace::count(c.stats.waits);
  if (is_guest_of(c, f))
    wait_as_guest(c, f);
  else
    switch_away(c, f);
  if (f.tasks != nullptr) [[unlikely]]
    source_of_tasks()->after_wait(*f.tasks);
}

namespace {

void park_with_timer(instant deadline, bool only_asks) noexcept {
  fiber& f = *self();
  if (consume_permit(f)) return;
  if (some_progress() && poll_before_park(f)) [[unlikely]] {
    if (f.tasks != nullptr) source_of_tasks()->after_polls();
    return;
  }
  if (f.tasks != nullptr) source_of_tasks()->before_wait(*f.tasks);
  timer t{deadline, &f, only_asks};
  add_timer(t);
  carrier& c = *f.on;
  trace::count(c.stats.waits);
  if (is_guest_of(c, f))
    wait_as_guest(c, f);
  else
    leave_for_loop(c, f);
  drop_timer(t);
  if (f.tasks != nullptr) source_of_tasks()->after_wait(*f.tasks);
}

}  // namespace

void park_until(instant deadline) noexcept {
  if (deadline == never) return park();
  park_with_timer(deadline, false);
}

void park_to_ask(instant next_question) noexcept { park_with_timer(next_question, true); }

namespace {

/// A guest's own fiber, which has begun to wait, lets `next` run, whose claim its carrier holds. Its own permit brings
/// it back when that one yields or waits (switch_away), and calls the monitor if it does neither. The permit stays, as
/// in yield.
void yield_as_guest(carrier& c, fiber& own, fiber& next) noexcept {
  std::uintptr_t const seat = own.seat.load(memory_order_relaxed);
  group_of(seat)->ready.fetch_or(mask_of(seat), memory_order_seq_cst);
  c.running.store(&next, memory_order_seq_cst);  // before the monitor's last look: it must see ours beneath
  arm_monitor();
  run(c, next);
  leave_timers(c);  // what ran may have left one behind
  end_wait(c, own);
}

}  // namespace

bool others_ready(const carrier& c) noexcept {
  if (c.kind == carrier_kind::guest && c.running.load(memory_order_relaxed) != c.native && own_permit(*c.native))
    return true;
  for (std::uint64_t rest = c.summary.load(memory_order_relaxed); rest != 0; rest &= rest - 1)
    for (ready_group* g = c.chain[__builtin_ctzll(rest)].load(memory_order_acquire); g != nullptr; g = g->next)
      if (g->ready.load(memory_order_relaxed) != 0 && claimable(*g)) return true;
  return false;
}

void park_unplaced() noexcept {
  fiber& f = *current_fiber;
  switch_away(*f.on, f);
}

void yield() noexcept { yield(*self(), wake::now); }

void yield(fiber& f, wake how) noexcept {
  std::uintptr_t const seat = f.seat.load(memory_order_relaxed);
  if (seat == 0) return;
  ready_group& g = *group_of(seat);
  carrier& c = *f.on;
  if (is_guest_of(c, f)) {
    begin_to_leave(c, f);
    fiber* const next = claim_own(c);
    return next != nullptr ? yield_as_guest(c, f, *next) : stay(c, f);
  }
  g.ready.fetch_or(mask_of(seat), memory_order_seq_cst);
  publish(g, mask_of(seat), how, &c);
  switch_away(c, f);
  // The permit that brought us back may have been somebody's wake as well as our own: it stays, for the next park.
  if (f.seat.load(memory_order_relaxed) == seat) g.ready.fetch_or(mask_of(seat), memory_order_seq_cst);
}

void between_steps(fiber& own) noexcept {
  carrier& c = *own.on;
  trace::count(c.steps_passed);
  if (!c.yield_is_due.load(memory_order_relaxed)) [[likely]]  // relaxed, as where the monitor sets it: orders nothing
    return;
  c.yield_is_due.store(false, memory_order_relaxed);  // one that is set just now is set again at the next look
  yield(own, wake::now);
}

namespace {

/// Others than those of its own carrier may run in the place of `f`.
bool may_lend_its_carrier(const fiber& f) noexcept {
  const carrier& c = *f.on;
  return f.seat.load(memory_order_relaxed) != 0 && c.kind != carrier_kind::shell && !is_reserved(c);
}

/// `f`, which has begun to leave, lets `next` run, whose claim its carrier holds, and comes back by its own permit. The
/// permit stays, as in yield.
AMITY_NO_SANITIZE_THREAD void yield_to(fiber& f, fiber& next) noexcept {
  carrier& c = *f.on;
  if (is_guest_of(c, f)) return yield_as_guest(c, f, next);
  std::uintptr_t const seat = f.seat.load(memory_order_relaxed);
  ready_group& g = *group_of(seat);
  g.ready.fetch_or(mask_of(seat), memory_order_seq_cst);
  publish(g, mask_of(seat), wake::unless_shared, &c);
  arm_monitor();  // ours lies beneath it (README, step S4)
  trace::count(c.stats.switches);
  switch_to(c, f, next);
  arrive(f);
  if (f.seat.load(memory_order_relaxed) == seat) g.ready.fetch_or(mask_of(seat), memory_order_seq_cst);
}

}  // namespace

bool yield_to_shared(fiber& f, std::uint64_t now) noexcept {
  if (!may_lend_its_carrier(f)) return false;
  carrier& c = *f.on;
  begin_to_leave(c, f);
  fiber* const next = claim_elsewhere(c, now, now);
  next != nullptr ? yield_to(f, *next) : stay(c, f);
  return next != nullptr;
}

void yield_to_tasks() noexcept {
  fiber& f = *self();
  yield(f, wake::now);
  if (f.tasks != nullptr && may_lend_its_carrier(f)) {
    carrier& c = *f.on;
    begin_to_leave(c, f);
    fiber* const next = claim_stand_in(c, *f.tasks);
    next != nullptr ? yield_to(f, *next) : stay(c, f);
  }
  const wait_profiler* const profiler = profiler_of_waits.load(memory_order_relaxed);  // relaxed: never changed
  if (profiler != nullptr) [[unlikely]]
    profiler->went_on();
}

namespace {

/// It stands on the stack of a guest whose wait is over.
bool is_on_a_ready_guest(const fiber& f) noexcept {
  const carrier& c = *f.on;
  return c.kind == carrier_kind::guest && c.native != &f && f.seat.load(memory_order_relaxed) != 0 &&
         own_permit(*c.native);
}

}  // namespace

void give_way() noexcept {
  fiber* f = current_fiber;
  if (f == nullptr || !is_on_a_ready_guest(*f)) return;
  carrier& c = *f->on;
  std::uintptr_t const seat = f->seat.load(memory_order_relaxed);
  ready_group& g = *group_of(seat);
  g.ready.fetch_or(mask_of(seat), memory_order_seq_cst);
  publish(g, mask_of(seat), wake::now, &c);
  switch_away(c, *f);
  if (f->seat.load(memory_order_relaxed) == seat) g.ready.fetch_or(mask_of(seat), memory_order_seq_cst);
}

void leave_guest_for_signals(fiber& f) noexcept {
  carrier& c = *f.on;
  std::uintptr_t const seat = f.seat.load(memory_order_relaxed);
  if (c.kind != carrier_kind::guest || c.native == &f || seat == 0) return;
  // As give_way. Guests do not take it while signals wait for it (try_claim), and its landing sends it elsewhere.
  ready_group& g = *group_of(seat);
  g.ready.fetch_or(mask_of(seat), memory_order_seq_cst);
  publish(g, mask_of(seat), wake::now, &c);
  leave_for_loop(c, f);
  if (f.seat.load(memory_order_relaxed) == seat) g.ready.fetch_or(mask_of(seat), memory_order_seq_cst);
}

std::atomic<std::uint64_t> guests_first_until{0};

void let_guests_go_first(std::uint64_t now) noexcept {
  guests_first_until.store(now + sys::ticks_of_microseconds(monitor_limits::guests_go_first_us), memory_order_relaxed);
}

void give_way_if_home_is_free() noexcept {
  const fiber* f = current_fiber;
  if (f == nullptr || !is_on_a_ready_guest(*f)) return;
  const carrier& home = *group_of(f->seat.load(memory_order_relaxed))->home;
  if (&home != f->on && !is_shared(home, sys::ticks())) give_way();
}

void unpark(ready_group& group, std::uint64_t mask, wake how) noexcept {
  // Release: what the waker did before; seq_cst for the two Dekker pairs in publish.
  group.ready.fetch_or(mask, memory_order_seq_cst);
  publish(group, mask, how, own_carrier());
}

void unpark_from(carrier* waker, fiber* f, wake how) noexcept {
  std::uintptr_t const seat = f->seat.load(memory_order_acquire);  // pairs with assign
  if (seat == 0) return;
  ready_group& g = *group_of(seat);
  // Release: what the waker did before; seq_cst for the two Dekker pairs in publish.
  g.ready.fetch_or(mask_of(seat), memory_order_seq_cst);
  publish(g, mask_of(seat), how, waker);
  if (!g.exclusive) wake_an_idler(*g.home, waker);
}

void unpark(fiber* f, wake how) noexcept { unpark_from(own_carrier(), f, how); }

void scheduling_loop(carrier& c) noexcept {
  idle_time idle(c);
  bool const limited = identity_mode() == sys::thread_pointer_mode::fixed;
  c.running.store(nullptr, memory_order_relaxed);  // released by land
  land(c);
  for (;;) {
    if (takes_turns(c.core.turn) && should_rest(c.core.turn, sys::ticks())) [[unlikely]] {
      close_ears(c);
      rest(c);
      idle.restart();
    }
    fiber* f;
    if (c.kind == carrier_kind::shell) {
      f = claim_as_shell(c);
      if (f == nullptr) {
        // It may have carried a fiber that ran tasks: by going to sleep it leaves a core for those that are left.
        if (const task_source* source = source_of_tasks(); source != nullptr) source->vacant();
        sleep(c);
        continue;
      }
    } else {
      f = claim_signalled(c);
      if (f == nullptr) f = claim_own(c);
    }
    std::uint64_t const now = sys::ticks();
    if (f == nullptr && !is_reserved(c)) f = claim_elsewhere(c, idle.since(now), now);
    if (f == nullptr) f = claim_for_tasks(c);
    if (f != nullptr) {
      if (limited) take_core(c);
      run(c, *f);
      if (limited) give_core(c);
      idle.found_work();
    } else if (idle.over(now)) {
      if (fiber* ending = claim_to_end(c)) run(c, *ending);  // does not return
      if (takes_turns(c.core.turn)) [[unlikely]]
        end_turns_if_vain(c, now);
      sleep(c);
      if (takes_turns(c.core.turn)) [[unlikely]]
        begin_turn(c, sys::ticks());
      idle.restart();
    } else {
      keep_handlers_off(c);
      idle.pause(now);
    }
  }
}

}  // namespace amity::sched
