#include "amity/sched/host/internal/program_signals.hpp"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cstdint>

#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/registry.hpp"
#include "amity/sched/host/internal/interrupted_call.hpp"
#include "amity/sched/host/internal/preempt.hpp"
#include "amity/sched/loop/internal/claim.hpp"
#include "amity/sched/loop/internal/own_threads.hpp"
#include "amity/sched/loop/internal/signals.hpp"
#include "amity/sched/loop/internal/sleep.hpp"
#include "amity/sched/loop/internal/switch.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/sys/rebind.hpp"
#include "amity/sys/thread_activity.hpp"

namespace amity::sched {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_seq_cst;

/// For how many fibers signals wait. Relaxed: a hint to the monitor, which was armed after it rose.
std::atomic<int> fibers_with_signals{0};

constexpr std::uint64_t bit_of(int signal) noexcept { return std::uint64_t{1} << (signal - 1); }

long tell(int thread, int signal) noexcept {
  return sys::raw_syscall(SYS_tgkill, sys::raw_syscall(SYS_getpid), thread, signal);
}

/// Takes the signals that wait for `f`; 0: somebody else has.
std::uint64_t take_signals(fiber& f) noexcept {
  // The flag first: a signal that comes now sets it again. Pairs with leave_signal; seq_cst, as there.
  if ((f.signalling.fetch_and(static_cast<std::uint8_t>(~signals_due), memory_order_seq_cst) & signals_due) == 0)
    return 0;
  fibers_with_signals.fetch_sub(1, memory_order_relaxed);
  return f.signals.exchange(0, memory_order_seq_cst);
}

/// There are some in `signals`. After them; before the look at where the fiber is. Pairs with take_signals and, where
/// the fiber parks meanwhile, with the look behind a landing: the permit that the sender gives then comes after the
/// flag.
void set_due(fiber& f) noexcept {
  if ((f.signalling.fetch_or(signals_due, memory_order_seq_cst) & signals_due) == 0)
    fibers_with_signals.fetch_add(1, memory_order_relaxed);
}

void leave_signal(fiber& f, int signal) noexcept {
  f.signals.fetch_or(bit_of(signal), memory_order_seq_cst);
  set_due(f);
}

void raise_all(int thread, std::uint64_t signals) noexcept {
  for (; signals != 0; signals &= signals - 1) tell(thread, __builtin_ctzll(signals) + 1);
}

/// The carrier that runs `f` or ran it last; written by whoever claims the fiber.
carrier* carrier_of(const fiber& f) noexcept {
  return std::atomic_ref<carrier*>(const_cast<fiber&>(f).on).load(memory_order_relaxed);
}

bool runs_on(const carrier& c, const fiber& f) noexcept {
  bool const waits = c.native == &f && c.guest_waits.load(memory_order_seq_cst);
  return c.running.load(memory_order_seq_cst) == &f && !waits && c.leaving.load(memory_order_seq_cst) == nullptr;
}

/// Raises the signals of `f` on the OS thread of `c`, unless the fiber leaves that or somebody else takes them
/// (H8).
void raise_there(fiber& f, carrier& c) noexcept {
  // The fiber waits for what is done here, so no handler may come in between.
  std::uint64_t const open = set_signal_mask(deaf_mask());
  std::uint8_t seen = signals_due;
  while (!f.signalling.compare_exchange_weak(seen, signals_coming, memory_order_seq_cst, memory_order_relaxed)) {
    if ((seen & signals_due) == 0) break;                                 // they are taken
    if ((seen & signals_coming) != 0) sys::raw_syscall(SYS_sched_yield);  // another sender is at it
    seen = signals_due;
  }
  if (seen == signals_due) {
    fibers_with_signals.fetch_sub(1, memory_order_relaxed);
    await_landings();  // the fiber's thread has said that it leaves, or will see that it must not: begin_to_leave
    if (runs_on(c, f))
      raise_all(c.thread_id.load(memory_order_relaxed), f.signals.exchange(0, memory_order_seq_cst));
    else
      set_due(f);  // it looks when it has landed
    f.signalling.fetch_and(static_cast<std::uint8_t>(~signals_coming), memory_order_seq_cst);
  }
  set_signal_mask(open);
}

/// `f` runs user code on `c`, as far as can be seen.
void signal_running(fiber& f, carrier& c) noexcept {
  int const thread = c.thread_id.load(memory_order_relaxed);
  std::uint64_t const blocked = sys::blocked_signals(thread);
  // The C library lets no program block its own first signal. Where it is blocked, the runtime has done it: its handler
  // is at work there, and takes signals before it goes back.
  constexpr int of_the_c_library = 32;
  bool const keeps_ours_out = blocked != sys::unknown_time && (blocked & bit_of(preemption_signal)) != 0 &&
                              (blocked & bit_of(of_the_c_library)) == 0;
  if (!keeps_ours_out && interrupt(c)) return;
  raise_there(f, c);
}

/// `f` has a seat and is parked, or waits as a guest.
void wake_for_signal(fiber& f, std::uintptr_t seat) noexcept {
  ready_group& g = *group_of(seat);
  g.ready.fetch_or(mask_of(seat), memory_order_seq_cst);  // as unpark
  publish(g, mask_of(seat), wake::now, nullptr);
  if (!g.exclusive) send_to_own_threads(g, mask_of(seat), nullptr);
  carrier& home = *g.home;
  bool const is_beneath = home.native == &f && home.kind == carrier_kind::guest;
  const fiber* const occupant = home.running.load(memory_order_relaxed);
  // With nothing on top, the permit is enough, unless it is in a handler that the kernel has begun in the loop.
  if (is_beneath && occupant != &f) interrupt(home);
}

/// A shell that nobody has taken goes by way of an OS thread that is free. Not always its own: that one may carry a
/// fiber that is in a handler itself.
void send_round(fiber& f) noexcept {
  std::uint32_t free = 0;
  // As in try_claim, step C2. Not for long: where the OS thread goes to another fiber instead, the monitor takes
  // the claim back at its next look (below). README.md, H3 to H6.
  if (!f.claimed.compare_exchange_strong(free, 1, memory_order_acquire, memory_order_relaxed)) return;
  // Another may have been faster, and the fiber has taken its signals: the monitor would take back nothing then. From
  // here on nobody takes them until the fiber runs.
  if (!signals_are_due(f)) return unclaim(*f.native, f);
  carrier* const c = free_carrier(f);
  fiber* none = nullptr;
  std::atomic_ref<carrier*>(f.on).store(c != nullptr ? c : f.native, memory_order_relaxed);
  // Dekker with sleep, as in end_shell; claim_signalled takes it.
  if (c == nullptr || !c->signalled.compare_exchange_strong(none, &f, memory_order_seq_cst, memory_order_relaxed))
    return unclaim(*f.native, f);
  if (c->asleep.load(memory_order_seq_cst) != 0) wake_carrier(*c, nullptr);
}

/// It was sent round to `c`, which runs another fiber: nobody may come to it for long. A carrier in its loop does, and
/// one that is about to wake up.
bool take_back(fiber& f, carrier& c) noexcept {
  if (c.running.load(memory_order_seq_cst) == nullptr) return false;
  fiber* sent = &f;
  return c.signalled.compare_exchange_strong(sent, nullptr, memory_order_seq_cst, memory_order_relaxed);
}

void try_to_signal(fiber& f) noexcept {
  if (!signals_are_due(f)) return;
  carrier& native = *f.native;
  if (!native.is_there.load(memory_order_relaxed)) {  // the thread has ended
    take_signals(f);
    return;
  }
  std::uintptr_t const seat = f.seat.load(memory_order_acquire);  // pairs with assign
  if (f.claimed.load(memory_order_seq_cst) == 0) {
    if (seat != 0)
      wake_for_signal(f, seat);
    else
      send_round(f);
    return;
  }
  carrier& c = *carrier_of(f);
  if (runs_on(c, f))
    signal_running(f, c);
  else if (f.of_guest && seat != 0)
    wake_for_signal(f, seat);  // a guest that waits
  else if (take_back(f, c))
    unclaim(native, f);
}

/// Null: it is no fiber.
fiber* fiber_of(pthread_t thread) noexcept {
  for (fiber* f = first_known(); f != nullptr; f = f->next_known)
    if (f->native->is_there.load(memory_order_acquire) && f->native->thread == thread) return f;
  return nullptr;
}

}  // namespace

bool runs_here(const fiber& f) noexcept {
  const carrier& c = *carrier_of(f);
  const fiber* const running = c.running.load(memory_order_relaxed);
  // A guest in its loop is on its own stack, with its own identity.
  bool const waits_as_guest = f.of_guest && running == nullptr;
  return (running == &f || waits_as_guest) && c.leaving.load(memory_order_relaxed) == nullptr &&
         c.thread_id.load(memory_order_relaxed) == sys::raw_syscall(SYS_gettid);
}

delivery deliver_signals(fiber& f) noexcept {
  std::uint64_t const signals = take_signals(f);
  f.counts.put_off = 0;
  std::uint64_t blocked = 0;
  sys::raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, reinterpret_cast<long>(&blocked), sizeof blocked);
  for (std::uint64_t rest = signals & ~blocked; rest != 0; rest &= rest - 1) {
    handler_kind const kind = handler_of(__builtin_ctzll(rest) + 1);
    if (kind != handler_kind::none) ++f.counts.taken;
    if (kind == handler_kind::ends_calls) ++f.counts.ending;
  }
  int const saved = errno;
  raise_all(static_cast<int>(sys::raw_syscall(SYS_gettid)), signals);
  forget_past_handlers();
  errno = saved;
  return (signals & blocked) != 0 ? delivery::left_pending : delivery::done;
}

void come_back_for_signals(carrier& c, fiber& f) noexcept {
  std::uintptr_t const seat = f.seat.load(memory_order_seq_cst);
  if (seat == 0) return ask_for_monitor();  // the monitor sends it round
  ready_group& g = *group_of(seat);
  return_permit(c, g, mask_of(seat));
  if (!g.exclusive) send_to_own_threads(g, mask_of(seat), &c);  // guests don't take it, and others may be long at work
}

bool hurry_guest_with_signals(const fiber& f) noexcept {
  carrier& c = *carrier_of(f);
  fiber& guest = *c.native;
  if (c.kind != carrier_kind::guest || !signals_are_due(guest)) return false;
  std::uintptr_t const seat = guest.seat.load(memory_order_relaxed);
  if (seat == 0 || !c.guest_waits.load(memory_order_relaxed)) return false;
  group_of(seat)->ready.fetch_or(mask_of(seat), memory_order_seq_cst);  // it looks itself
  if (&guest != &f) return true;
  // It may be asleep: the kernel begins that call anew behind the handler, and nobody else may come to wake it. Or it
  // is about to sleep, and has looked at its permit before. The call sees that `asleep` is 0.
  wake_carrier(c, nullptr);
  return false;
}

bool look_after_signals() noexcept {
  if (fibers_with_signals.load(memory_order_relaxed) <= 0) return false;
  for (fiber* f = first_known(); f != nullptr; f = f->next_known) try_to_signal(*f);
  return fibers_with_signals.load(memory_order_relaxed) > 0;
}

int kill_of_program(pthread_t thread, int signal) noexcept {
  constexpr int first_of_the_c_library = 32, last_signal = 64;
  // Those between the two groups are the C library's own.
  bool const is_one = (signal > 0 && signal < first_of_the_c_library) || (signal >= SIGRTMIN && signal <= last_signal);
  bool const may_be_led = is_one && identity_mode() != sys::thread_pointer_mode::fixed;
  // As where the caller enters the kernel: what has been sent to it comes before what it does from here on. A collector
  // would else be told of the end of the last stop while it waits for the next.
  if (fiber* const own = current_fiber; own != nullptr && signals_are_due(*own) && runs_here(*own))
    static_cast<void>(deliver_signals(*own));
  fiber* const f = may_be_led ? fiber_of(thread) : nullptr;
  if (f == nullptr) return (*sys::not_rebound<&pthread_kill>)(thread, signal);
  if (f == current_fiber && runs_here(*f))
    return static_cast<int>(-tell(static_cast<int>(sys::raw_syscall(SYS_gettid)), signal));
  leave_signal(*f, signal);
  await_landings();
  try_to_signal(*f);
  // The caller may be a collector with locks of its own, or a handler: no thread is made for it here.
  ask_for_monitor();
  return 0;
}

void forget_signals() noexcept {
  fibers_with_signals.store(0, memory_order_relaxed);
  if (fiber* const f = current_fiber; f != nullptr) {  // what was sent is the parent's, and so is who was about to
    f->signals.store(0, memory_order_relaxed);
    f->signalling.store(0, memory_order_relaxed);
  }
}

}  // namespace amity::sched
