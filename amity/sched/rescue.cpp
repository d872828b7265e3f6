#include "amity/sched/rescue.hpp"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "amity/sched/carrier.hpp"
#include "amity/sched/internal/claim.hpp"
#include "amity/sched/internal/last_thread.hpp"
#include "amity/sched/internal/preempt.hpp"
#include "amity/sched/internal/program_signals.hpp"
#include "amity/sched/internal/relief.hpp"
#include "amity/sched/internal/report.hpp"
#include "amity/sched/internal/switch.hpp"
#include "amity/sched/internal/timers.hpp"
#include "amity/sched/locality.hpp"
#include "amity/sched/pool.hpp"
#include "amity/sched/spin_lock.hpp"
#include "amity/sched/turns.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/futex.hpp"
#include "amity/sys/thread_activity.hpp"
#include "amity/trace/counters.hpp"

namespace amity::sched {

std::atomic<std::uint64_t> guests_first_until{0};

namespace {

constexpr long look_every_ns = 5'000'000;
constexpr long look_again_ns = 1'000'000;  // after a rescue: code that needs one often needs the next soon
constexpr int eager_looks = 20;
constexpr std::uint64_t longest_spinning_us = 1'000'000;
constexpr std::uint64_t guests_first_us = 1'000'000;
constexpr long rest_ns = 1'000'000'000;          // even then a look now and then, for what no rule foresees
constexpr long rest_at_the_end_ns = 50'000'000;  // the initial thread has left: the process is to end with the last
constexpr int quiet_looks_before_sleep = 2;      // each costs a wake from the clock, and arming anew little more

/// owed: absent, and somebody wanted it who could not start it.
enum monitor_state : std::uint32_t { absent, watching, resting, owed };
std::atomic<std::uint32_t> monitor{absent};
std::atomic<int> monitor_number{0};  ///< the kernel's; relaxed: for reports and counts
trace::counters monitor_stats;

/// A kernel thread that is free to run `f`: its own, or, while that one carries another fiber, that fiber's own, and so
/// on. There are as many kernel threads as fibers, so the chain ends at one that sleeps, or at one that is on its way
/// to look for work.
carrier* free_carrier(fiber& f) noexcept {
  carrier* c = f.native;
  for (int hops = 0; hops < 4096; ++hops) {
    if (c->asleep.load(std::memory_order_relaxed) != 0) return c;
    fiber* occupant = c->running.load(std::memory_order_relaxed);
    if (occupant == nullptr) return c;  // it is in its loop, and looks before it sleeps
    if (occupant->native == c) return nullptr;
    c = occupant->native;
  }
  return nullptr;
}

/// The monitor's own: looks to come that are due sooner, because somebody was rescued, or may have to be.
int eager = 0;
int looks_passed = 1;               ///< since the one before this, had they all come so soon
std::uint64_t look_us = 0;          ///< when it began
std::uint64_t helped_until_us = 0;  ///< until then going on may be owed to a rescue
unsigned hurried_looks = 0;         ///< so far
std::uint32_t yields_to_locks = 0;  ///< as of the last look

/// It carries a fiber. In its loop it comes to whatever is ready as soon as it has a core.
bool carries(const carrier& c) noexcept { return c.running.load(std::memory_order_relaxed) != nullptr; }

/// Whether the thread of a carrier without events waits in the kernel, in code of the program's. That is asked, and how
/// often it gave up its core, at most once a look, where the answer counts or may count at the next look.
bool waits_in_kernel(carrier& c) noexcept {
  if (c.asked == kernel_word::not_asked) {
    int const thread = c.thread_id.load(std::memory_order_relaxed);
    bool const carried = carries(c);
    bool const blocked = sys::is_blocked(thread) && carried && carries(c);  // before and after: while it was asked
    bool const waits = c.watch.stays_blocked(blocked) ||
                       (blocked && eager > 0 && !takes_turns(c.turn)) ||  // some have been, or others at this one
                       c.watch.gives_its_core_away(sys::involuntary_switches(thread));
    c.asked = waits && carries(c) ? kernel_word::waits : kernel_word::does_not_wait;
  }
  return c.asked == kernel_word::waits;
}

/// What a carrier does while others are ready there.
enum class stuck_by : std::uint8_t { nothing, keeping_its_core, waiting };

/// For those of `g` who are ready since the time of `c` on a core was `since_cpu_ns`: does it wait in the kernel, or
/// has it used `enough_ns` since then and is not left alone to see whether it computes? What it did before they were
/// ready, as making threads for them, says nothing.
stuck_by what_keeps(carrier& c, ready_group& g, std::uint64_t enough_ns, std::uint64_t since_cpu_ns) noexcept {
  if (c.judged == verdict::goes_on) return stuck_by::nothing;
  if (c.judged != verdict::stuck || !c.watch.has_used(enough_ns, since_cpu_ns))
    return waits_in_kernel(c) ? stuck_by::waiting : stuck_by::nothing;
  if (std::exchange(g.seen.to_blame, &c) != &c) g.seen.spinning.restart(c.watch.events());
  return g.seen.spinning.leave_alone(looks_passed) ? stuck_by::nothing : stuck_by::keeping_its_core;
}

/// A carrier that goes on as far as its events tell hardly ran, and its thread is blocked in the kernel: the fibers
/// that it runs seem to block one after the other, each for less than the time between two looks. (A helper that rests
/// in favour of another process is to be left alone.)
bool blocks_again_and_again(const carrier& c) noexcept {
  if (!c.watch.hardly_ran() || !carries(c) || takes_turns(c.turn)) return false;
  return sys::is_blocked(c.thread_id.load(std::memory_order_relaxed));
}

/// Whoever released the fibers of `g` without waking their home, and will run them when it waits itself; null: their
/// home is awake.
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
      g.while_spinning.begin(sys::ticks(), longest_spinning_us);
      break;
    case spin_evidence::finding::computes:
      g.while_spinning.forget();
      break;
    case spin_evidence::finding::none:
      break;
  }
}

void note_rescue(ready_group& g, stuck_by how, unsigned fibers) noexcept {
  trace::count(monitor_stats.rescues, fibers);
  helped_until_us = std::max(helped_until_us, spin_evidence::helps_until_us(look_us, fibers));
  eager = eager_looks;
  if (how == stuck_by::keeping_its_core)
    g.seen.spinning.note_rescue(look_us, fibers);
  else if (how == stuck_by::waiting)
    act_on(g.seen.spinning.note_wait(), g);
}

/// The permits of `g` that somebody may have to see to. One of a guest that runs its own fiber is none: it lies there
/// for the guest's next wait, as after a yield, and that may be hours away. Whoever puts another fiber on top of it
/// arms the monitor after `running` says so (README, steps S4 and S5). Nor is one of a guest that has ended, by a late
/// waker.
std::uint64_t permits_to_see_to(const ready_group& g) noexcept {
  std::uint64_t const ready = g.ready.load(std::memory_order_relaxed);
  if (ready == 0 || !g.exclusive) return ready;
  bool const runs_itself = g.home->running.load(std::memory_order_relaxed) == g.home->native;
  return runs_itself || has_gone(*g.home) ? 0 : ready;
}

/// Sends the members of `g` that have waited since the last look to their own kernel threads, if the carrier is stuck
/// that is to run them. For those that were left to somebody who goes on it is early to say so after a hurried look: it
/// has its own share of the work to do first. But it may never come to theirs.
void rescue_group(ready_group& g, bool hurried, std::uint64_t enough_ns, bool& any_ready) noexcept {
  std::uint64_t const ready = permits_to_see_to(g);
  if (g.seen.ready == 0) g.seen.cpu_ns = g.home->watch.cpu_ns();
  std::uint64_t waited = ready & std::exchange(g.seen.ready, ready);
  std::uint64_t const waited_long = hurried ? 0 : ready & std::exchange(g.seen.ready_at_leisure, ready);
  if (g.seen.to_blame != nullptr) {
    // Whoever runs on a guest's kernel thread need not wait for the guest: that it goes on late is no reason to let the
    // guest wait for longer the next time.
    std::uint64_t const helped = g.exclusive ? look_us : helped_until_us;
    act_on(g.seen.spinning.look(g.seen.to_blame->watch.events(), look_us, helped), g);
  }
  if (ready == 0) return;
  any_ready = true;
  if (g.exclusive) return;
  carrier* const other = left_to(g);
  bool const blocks = blocks_again_and_again(*g.home);
  stuck_by how = stuck_by::waiting;
  if (blocks && eager > 0) {
    waited = ready;
  } else {
    if (blocks) eager = eager_looks;
    if (waited == 0) return;
    if (other == nullptr && g.home->asleep.load(std::memory_order_relaxed) != 0) {
      // Whoever released them was about to wake it, and lost its core: its home is free, and that is all they need.
      if (claimable(g)) wake_carrier(*g.home, nullptr);
      return;
    }
    how = other != nullptr ? what_keeps(*other, g, 0, sys::unknown_time)
                           : what_keeps(*g.home, g, enough_ns, g.seen.cpu_ns);
    if (how == stuck_by::nothing && other == nullptr) {
      // It goes on; but where it runs task after task, it comes to them only when there are no more.
      if (waited_long != 0) g.home->turn_is_due.store(true, std::memory_order_relaxed);
      return;
    }
    if (how == stuck_by::nothing) waited = waited_long;
    if (waited == 0) return;
  }
  unsigned const sent = send_to_own_threads(g, waited, nullptr);
  if (sent != 0) note_rescue(g, how, sent);
}

/// A guest whose wait is over, but whose kernel thread still runs another fiber.
void free_guest(carrier& c, std::uint64_t enough_ns) noexcept {
  ready_group& g = c.solo;
  const fiber* const occupant = c.running.load(std::memory_order_relaxed);
  bool const ready = (g.ready.load(std::memory_order_relaxed) & 1) != 0;
  if (occupant == nullptr || occupant == c.native || !ready) return;
  bool const call_is_known = c.call.look(c.thread_id.load(std::memory_order_relaxed));
  if ((g.seen.ready & 1) == 0) return;
  stuck_by const how = what_keeps(c, g, enough_ns, g.seen.cpu_ns);
  if (how == stuck_by::nothing) {
    c.turn_is_due.store(true, std::memory_order_relaxed);  // as in rescue_group
    return;
  }
  if (how == stuck_by::waiting && !call_is_known) return;
  note_rescue(g, how, 1);
  guests_first_until.store(sys::ticks() + sys::ticks_of_microseconds(guests_first_us), std::memory_order_relaxed);
  interrupt(c);
}

/// One look at every carrier. True if some fiber is ready, or tasks wait.
bool look(long interval_ns) noexcept {
  looks_passed = static_cast<int>(interval_ns / look_again_ns);
  look_us = sys::ticks() / sys::ticks_of_microseconds(1);
  bool const hurried = looks_passed == 1 && ++hurried_looks % (look_every_ns / look_again_ns) != 0;
  // Most of what passes between two looks: the clock that wakes the monitor and the thread's own don't agree exactly.
  auto const enough_ns = static_cast<std::uint64_t>(interval_ns) * 4 / 5;
  std::uint32_t const yields = yields_to_holders();
  bool const waited_for_locks = std::exchange(yields_to_locks, yields) != yields;
  for (carrier* c = first_scheduler(); c != nullptr; c = c->next_scheduler) {
    std::uint64_t const steps =
        c->events.load(std::memory_order_relaxed) + c->steps_passed.load(std::memory_order_relaxed);
    c->judged = c->watch.look(steps, time_on_a_core(*c), enough_ns);
    c->asked = kernel_word::not_asked;
    if (waited_for_locks) c->watch.forget_switches();
  }
  bool any_ready = false;
  for (carrier* c = first_scheduler(); c != nullptr; c = c->next_scheduler) {
    if (c->kind == carrier_kind::guest) free_guest(*c, enough_ns);
    for (auto& chain : c->chain)
      for (ready_group* g = chain.load(std::memory_order_acquire); g != nullptr; g = g->next)
        rescue_group(*g, hurried, enough_ns, any_ready);
  }
  bool const tasks = look_after_tasks(hurried);
  bool const signals = look_after_signals();
  return any_ready || tasks || signals;
}

void* monitor_main(void*) {
  static std::atomic<std::uint32_t> no_word{0};
  static bool const registered = (trace::register_counters(monitor_stats), true);  // once, also over a fork
  static_cast<void>(registered);
  monitor_number.store(gettid(), std::memory_order_relaxed);
  int quiet = 0;
  bool stalled = false;
  for (;;) {
    long const interval_ns = eager > 0 ? look_again_ns : look_every_ns;
    sys::futex_wait_for(no_word, 0, time_to_watch(interval_ns));
    fire_as_monitor();
    if (eager > 0) --eager;
    quiet = look(interval_ns) ? 0 : quiet + 1;
    if (quiet < quiet_looks_before_sleep) continue;
    // Whoever arms from here on sees `resting` and wakes us; whoever armed before has its fibers in this last look.
    monitor.store(resting, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // before the look's loads, which are relaxed
    // The same holds for who asked it to watch a deadline (README-timers.md, W4).
    if (!look(interval_ns))
      sys::futex_wait_for(monitor, resting, time_to_watch(awaits_the_last() ? rest_at_the_end_ns : rest_ns));
    fire_as_monitor();
    end_if_all_have_gone();
    if (at_stall != stall_answer::silence) stalled = look_for_stall(stalled);
    bool const armed = monitor.exchange(watching, std::memory_order_relaxed) == watching;
    quiet = armed ? 0 : quiet_looks_before_sleep - 1;
  }
}

/// True if there is one now.
bool start_monitor() noexcept {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int error = EINVAL;  // the stack is too small for the program's thread-local variables, which lie on it
  for (std::size_t size = 64 * 1024; error == EINVAL && size <= 64 * 1024 * 1024; size *= 4) {
    pthread_attr_setstacksize(&attributes, size);
    error = pthread_create(&thread, &attributes, monitor_main, nullptr);
  }
  bool const started = error == 0;
  if (started) {
    set_free(thread);
    pthread_setname_np(thread, "amity-monitor");
  } else {
    monitor.store(absent, std::memory_order_relaxed);
    note_refusal({"the kernel thread that watches over the others", error});
  }
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace

void arm_rescue() noexcept {
  // seq_cst: after the permit that somebody may have to see to; pairs with the store of `resting`.
  std::uint32_t seen = monitor.load(std::memory_order_seq_cst);
  if (seen == watching) [[likely]]
    return;
  if ((seen == absent || seen == owed) && monitor.compare_exchange_strong(seen, watching, std::memory_order_relaxed)) {
    start_monitor();
  } else if (seen = resting; monitor.compare_exchange_strong(seen, watching, std::memory_order_seq_cst)) {
    sys::futex_wake(monitor, 1);
  }
}

void ask_for_rescue() noexcept {
  std::uint32_t seen = absent;
  // seq_cst: as arm_rescue.
  if (monitor.compare_exchange_strong(seen, owed, std::memory_order_seq_cst) || seen == owed) return;
  arm_rescue();  // there is one: it is at most to be woken
}

bool rescue_is_owed() noexcept { return monitor.load(std::memory_order_relaxed) == owed; }

void watch_for_stalls() noexcept {
  if (monitor.load(std::memory_order_relaxed) == absent && at_stall != stall_answer::silence)
    static_cast<void>(can_rescue());
}

void watch_for_stalls_of_mutexes() noexcept {
  if (at_stall == stall_answer::abort) watch_for_stalls();
}

bool can_rescue() noexcept {
  std::uint32_t seen = monitor.load(std::memory_order_relaxed);
  do {
    if (seen != absent && seen != owed) return true;
  } while (!monitor.compare_exchange_weak(seen, watching, std::memory_order_relaxed));
  return start_monitor();
}

unsigned send_to_own_threads(ready_group& g, std::uint64_t members, carrier* waker) noexcept {
  unsigned sent = 0;
  for (std::uint64_t rest = members; rest != 0; rest &= rest - 1) {
    int const bit = __builtin_ctzll(rest);
    fiber* f = g.members[bit].load(std::memory_order_acquire);
    if (f == nullptr || f->claimed.load(std::memory_order_relaxed) != 0) continue;
    carrier* c = free_carrier(*f);
    if (c == nullptr) continue;
    if (f->native == g.home)
      g.cursor.store(static_cast<std::uint8_t>((bit + 63) % 64), std::memory_order_relaxed);  // it goes first
    // Pairs with claim_as_shell; seq_cst for the shell that is about to sleep: Dekker with `sleep`, as S2.
    if (c->kind == carrier_kind::shell) c->wanted.store(f, std::memory_order_seq_cst);
    wake_carrier(*c, waker);
    ++sent;
  }
  if (sent != 0) note_own_threads(sys::ticks());
  return sent;
}

int monitor_thread() noexcept { return monitor_number.load(std::memory_order_relaxed); }

void forget_rescue() noexcept {
  monitor_number.store(0, std::memory_order_relaxed);
  monitor.store(absent, std::memory_order_relaxed);
}

}  // namespace amity::sched
