#include "amity/sched/monitor/internal/stuck_fibers.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "amity/sched/cores/take_turns.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/registry.hpp"
#include "amity/sched/host/internal/preempt.hpp"
#include "amity/sched/idle/monitor_limits.hpp"
#include "amity/sched/idle/stuck_by.hpp"
#include "amity/sched/loop/internal/claim.hpp"
#include "amity/sched/loop/internal/own_threads.hpp"
#include "amity/sched/loop/internal/switch.hpp"
#include "amity/sched/monitor/internal/recorder.hpp"
#include "amity/sched/monitor/internal/shown_acts.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/spin_lock.hpp"
#include "amity/sys/thread_activity.hpp"
#include "amity/trace/counters.hpp"

namespace amity::sched {
namespace {

// The monitor's own.
std::uint64_t look_us = 0;          ///< when the present look began
std::uint64_t helped_until_us = 0;  ///< until then going on may be owed to a rescue
std::uint32_t yields_to_locks = 0;  ///< as of the last look

unsigned long long as_number(std::uint64_t n) noexcept { return n; }

trace::counters& counters_of_monitor() noexcept {
  static trace::counters all;
  static bool const registered = (trace::register_counters(all), true);  // once, also over a fork
  static_cast<void>(registered);
  return all;
}

/// It carries a fiber. In its loop it comes to whatever is ready as soon as it has a core.
bool carries(const carrier& c) noexcept { return c.running.load(std::memory_order_relaxed) != nullptr; }

/// Whether the thread of a carrier without events waits in the kernel, in code of the program's. That is asked, and how
/// often it gave up its core, at most once a look, where the answer counts or may count at the next look.
bool waits_in_kernel(carrier& c, const pace& looks) noexcept {
  if (c.seen.asked == kernel_word::not_asked) {
    int const thread = c.thread_id.load(std::memory_order_relaxed);
    bool const carried = carries(c);
    bool const blocked = sys::is_blocked(thread) && carried && carries(c);  // before and after: while it was asked
    bool const waits =
        c.seen.watch.stays_blocked(blocked) ||
        (blocked && looks.are_hurried() && !takes_turns(c.core.turn)) ||  // some have been, or others now
        c.seen.watch.gives_its_core_away(sys::involuntary_switches(thread));
    c.seen.asked = waits && carries(c) ? kernel_word::waits : kernel_word::does_not_wait;
  }
  return c.seen.asked == kernel_word::waits;
}

/// For those of `g` who are ready since the time of `c` on a core was `since_cpu_ns`.
stuck_by what_keeps(carrier& c, ready_group& g, const pace& looks, std::uint64_t enough_ns,
                    std::uint64_t since_cpu_ns) noexcept {
  if (c.seen.judged == verdict::stuck && c.seen.watch.has_used(enough_ns, since_cpu_ns) &&
      std::exchange(g.seen.to_blame, &c) != &c) {
    g.seen.spinning.restart(c.seen.watch.events());
    if (recorder::is_on) recorder::write("r %p %llu\n", static_cast<void*>(&g), as_number(c.seen.watch.events()));
  }
  int waits = -1;
  ready_since const since{since_cpu_ns, enough_ns, looks.passed()};
  stuck_by const how = what_keeps(c.seen.judged, c.seen.watch, g.seen.spinning, since,
                                  [&] { return (waits = waits_in_kernel(c, looks)) != 0; });
  if (recorder::is_on)
    recorder::write("k %p %p %llu %llu %d %d %d\n", static_cast<void*>(&g), static_cast<void*>(&c),
                    as_number(since_cpu_ns), as_number(enough_ns), looks.passed(), waits, static_cast<int>(how));
  return how;
}

/// A carrier that goes on as far as its events tell hardly ran, and its thread is blocked in the kernel: the fibers
/// that it runs seem to block one after the other, each for less than the time between two looks. (A helper that rests
/// in favour of another process is to be left alone.)
bool blocks_again_and_again(const carrier& c) noexcept {
  if (!c.seen.watch.hardly_ran() || !carries(c) || takes_turns(c.core.turn)) return false;
  return sys::is_blocked(c.thread_id.load(std::memory_order_relaxed));
}

/// The carrier that released the fibers of `g` without waking their home, and will run them when it waits itself; null:
/// their home is awake.
carrier* left_to(const ready_group& g) noexcept {
  carrier* const c = g.left_to.load(std::memory_order_relaxed);
  bool const left =
      c != nullptr && c->kind != carrier_kind::shell && g.home->asleep.load(std::memory_order_relaxed) != 0;
  return left ? c : nullptr;
}

/// Code that spins for other members, as OpenBLAS's does, goes on as soon as those run: they need not wait for a look.
/// As that is taken for granted for a while only, each time it is seen again for longer (doubling_while.hpp), code that
/// computes is mistaken for it for a short time.
void act_on(spin_evidence::finding found, ready_group& g) noexcept {
  switch (found) {
    case spin_evidence::finding::spins:
      g.while_spinning.begin(sys::ticks(), monitor_limits::longest_spinning_us);
      break;
    case spin_evidence::finding::computes:
      g.while_spinning.forget();
      break;
    case spin_evidence::finding::none:
      break;
  }
}

/// In the timeline, one for each fiber, as they are counted.
void show_rescue(stuck_by how, unsigned fibers) noexcept {
  for (; fibers > 0; --fibers)
    show_act(how == stuck_by::keeping_its_core ? "rescue: the thread before it keeps its core"
                                               : "rescue: the thread before it waits in the kernel");
}

void note_rescue(ready_group& g, pace& looks, stuck_by how, unsigned fibers) noexcept {
  trace::count(counters_of_monitor().rescues, fibers);
  show_rescue(how, fibers);
  helped_until_us = std::max(helped_until_us, spin_evidence::helps_until_us(look_us, fibers));
  looks.hurry();
  if (how == stuck_by::keeping_its_core) {
    g.seen.spinning.note_rescue(look_us, fibers);
    if (recorder::is_on) recorder::write("s %p %llu %u\n", static_cast<void*>(&g), as_number(look_us), fibers);
  } else if (how == stuck_by::waiting) {
    spin_evidence::finding const found = g.seen.spinning.note_wait();
    if (recorder::is_on) recorder::write("w %p %d\n", static_cast<void*>(&g), static_cast<int>(found));
    act_on(found, g);
  }
}

/// The permits of `g` that somebody may have to see to. One of a guest that runs its own fiber is none: it lies there
/// for the guest's next wait, as after a yield, and that may be hours away. A carrier that puts another fiber on top of
/// it arms the monitor after `running` says so (loop/README.md, steps S4 and S5). Nor is one of a guest that has ended,
/// by a late waker.
std::uint64_t permits_to_see_to(const ready_group& g) noexcept {
  std::uint64_t const ready = g.ready.load(std::memory_order_relaxed);
  if (ready == 0 || !g.exclusive) return ready;
  bool const runs_itself = g.home->running.load(std::memory_order_relaxed) == g.home->native;
  return runs_itself || has_gone(*g.home) ? 0 : ready;
}

/// Sends the members of `g` that have waited since the last look to their own OS threads, if the carrier is stuck
/// that is to run them. For those that were left to somebody who goes on it is early to say so after a hurried look: it
/// has its own share of the work to do first. But it may never come to theirs. True if some are ready.
bool rescue_group(ready_group& g, pace& looks, std::uint64_t enough_ns) noexcept {
  std::uint64_t const ready = permits_to_see_to(g);
  if (g.seen.ready == 0) g.seen.cpu_ns = g.home->seen.watch.cpu_ns();
  std::uint64_t waited = ready & std::exchange(g.seen.ready, ready);
  std::uint64_t const waited_long = looks.is_extra() ? 0 : ready & std::exchange(g.seen.ready_at_leisure, ready);
  if (g.seen.to_blame != nullptr) {
    // A fiber that runs on a guest's OS thread need not wait for the guest: that it goes on late is no reason to
    // let the guest wait for longer the next time.
    std::uint64_t const helped = g.exclusive ? look_us : helped_until_us;
    std::uint64_t const events = g.seen.to_blame->seen.watch.events();
    spin_evidence::finding const found = g.seen.spinning.look(events, look_us, helped);
    if (recorder::is_on)
      recorder::write("e %p %llu %llu %llu %d\n", static_cast<void*>(&g), as_number(events), as_number(look_us),
                      as_number(helped), static_cast<int>(found));
    act_on(found, g);
  }
  if (ready == 0) return false;
  if (g.exclusive) return true;
  carrier* const other = left_to(g);
  bool const blocks = blocks_again_and_again(*g.home);
  stuck_by how = stuck_by::waiting;
  if (blocks && looks.are_hurried()) {
    waited = ready;
  } else {
    if (blocks) looks.hurry();
    if (waited == 0) return true;
    if (other == nullptr && g.home->asleep.load(std::memory_order_relaxed) != 0) {
      // The thread that released them was about to wake their home, and lost its core. The home is free, and that is
      // all they need.
      if (claimable(g)) wake_carrier(*g.home, nullptr);
      return true;
    }
    how = other != nullptr ? what_keeps(*other, g, looks, 0, sys::unknown_time)
                           : what_keeps(*g.home, g, looks, enough_ns, g.seen.cpu_ns);
    if (how == stuck_by::nothing && other == nullptr) {
      // It goes on; but where it runs task after task, it comes to them only when there are no more.
      if (waited_long != 0) g.home->yield_is_due.store(true, std::memory_order_relaxed);
      return true;
    }
    if (how == stuck_by::nothing) waited = waited_long;
    if (waited == 0) return true;
  }
  unsigned const sent = send_to_own_threads(g, waited, nullptr);
  if (sent != 0) note_rescue(g, looks, how, sent);
  return true;
}

/// A guest whose wait is over, but whose OS thread still runs another fiber.
void free_guest(carrier& c, pace& looks, std::uint64_t enough_ns) noexcept {
  ready_group& g = c.solo;
  const fiber* const occupant = c.running.load(std::memory_order_relaxed);
  bool const ready = (g.ready.load(std::memory_order_relaxed) & 1) != 0;
  if (occupant == nullptr || occupant == c.native || !ready) return;
  bool const call_is_known = c.seen.call.look(c.thread_id.load(std::memory_order_relaxed));
  if ((g.seen.ready & 1) == 0) return;
  stuck_by const how = what_keeps(c, g, looks, enough_ns, g.seen.cpu_ns);
  if (how == stuck_by::nothing) {
    c.yield_is_due.store(true, std::memory_order_relaxed);  // as in rescue_group
    return;
  }
  if (how == stuck_by::waiting && !call_is_known) return;
  note_rescue(g, looks, how, 1);
  let_guests_go_first(sys::ticks());
  interrupt(c);
}

}  // namespace

bool look_for_stuck_fibers(pace& looks, long interval_ns) noexcept {
  look_us = sys::ticks() / sys::ticks_of_microseconds(1);
  auto const enough_ns =
      static_cast<std::uint64_t>(interval_ns) * monitor_limits::most_of_a_look / monitor_limits::of_a_look;
  std::uint32_t const yields = sys::yields_to_holders();
  bool const waited_for_locks = std::exchange(yields_to_locks, yields) != yields;
  for (carrier* c = first_scheduler(); c != nullptr; c = c->next_scheduler) {
    std::uint64_t const steps =
        c->events.load(std::memory_order_relaxed) + c->steps_passed.load(std::memory_order_relaxed);
    std::uint64_t const cpu_ns = time_on_a_core(*c);
    c->seen.judged = c->seen.watch.look(steps, cpu_ns, enough_ns);
    if (recorder::is_on)
      recorder::write("c %p %llu %llu %llu %d\n", static_cast<void*>(c), as_number(steps), as_number(cpu_ns),
                      as_number(enough_ns), static_cast<int>(c->seen.judged));
    c->seen.asked = kernel_word::not_asked;
    if (waited_for_locks) c->seen.watch.forget_switches();
  }
  bool any_ready = false;
  for (carrier* c = first_scheduler(); c != nullptr; c = c->next_scheduler) {
    if (c->kind == carrier_kind::guest) free_guest(*c, looks, enough_ns);
    for (auto& chain : c->chain)
      for (ready_group* g = chain.load(std::memory_order_acquire); g != nullptr; g = g->next)
        any_ready |= rescue_group(*g, looks, enough_ns);
  }
  return any_ready;
}

}  // namespace amity::sched
