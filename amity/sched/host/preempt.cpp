#include "amity/sched/host/internal/preempt.hpp"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <sys/auxv.h>
#include <time.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <utility>

#include "amity/base/stack_pointer.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/host/internal/credentials.hpp"
#include "amity/sched/host/internal/interrupted_call.hpp"
#include "amity/sched/host/internal/program_signals.hpp"
#include "amity/sched/host/runtime_code.hpp"
#include "amity/sched/loop/internal/shell.hpp"
#include "amity/sched/loop/internal/signals.hpp"
#include "amity/sched/loop/internal/switch.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sys/machine_context.hpp"
#include "amity/sys/program_call.hpp"
#include "amity/sys/raw_syscall.hpp"

namespace amity::sched {
namespace {

/// Where the code of a library lies that must not be left in the middle.
struct text_range {
  std::uintptr_t begin = 0, end = 0;
};
constexpr int most_ranges = 4;
text_range own_text[most_ranges];
std::atomic<int> ranges{0};  // release after the entries; acquire in the handler

/// An address in each library whose code is the runtime's: this one's, and what the layers above registered.
std::atomic<std::uintptr_t> marks[most_ranges];

/// What every handler returns to; null: not known yet. Relaxed: the same for all.
std::atomic<const void*> known_restorer{nullptr};

#if defined(__x86_64__)
constexpr bool frames_are_behind_restorers = true;
#else
constexpr bool frames_are_behind_restorers = false;
#endif

bool in_runtime(std::uintptr_t address) noexcept {
  if (sys::in_program_call(address)) return false;  // it waits for the program
  for (int i = 0; i < ranges.load(std::memory_order_acquire); ++i)
    if (address >= own_text[i].begin && address < own_text[i].end) return true;
  return false;
}

/// What was interrupted is a handler of the program's, which itself has interrupted the runtime. `restorer`: what every
/// handler returns to. On x86-64 the kernel's frame of a handler is that address with the interrupted context behind
/// it; elsewhere the address alone must do.
AMITY_NO_SANITIZE_ADDRESS bool in_handler_over_runtime(const ucontext_t& u, const void* restorer) noexcept {
  if ((u.uc_stack.ss_flags & SS_ONSTACK) != 0) return true;
  const fiber* const f = current_fiber;
  if (f == nullptr || f->native->kind == carrier_kind::guest) return true;
  const sys::stack& own = shell_of(const_cast<fiber&>(*f)).stack;
  auto const top = reinterpret_cast<std::uintptr_t>(own.top()), base = reinterpret_cast<std::uintptr_t>(own.base);
  auto at = sys::interrupted_stack(u) & ~(sizeof(void*) - 1);
  if (at < base || at >= top) return false;  // a stack of the program's own
  for (; at + sizeof(void*) + sizeof(ucontext_t) < top; at += sizeof(void*)) {
    if (*reinterpret_cast<void* const*>(at) != restorer) continue;
    if (!frames_are_behind_restorers) return true;
    auto const* const before = reinterpret_cast<const ucontext_t*>(at + sizeof(void*));
    if (sys::interrupted_stack(*before) > at && in_runtime(sys::interrupted_at(*before))) return true;
  }
  return false;
}

/// A guest waits, and its loop has been interrupted in a function of some library that it calls: not in a handler of
/// the program's.
AMITY_NO_SANITIZE_ADDRESS bool in_loop_of_guest(const ucontext_t& u, const fiber& f, const void* restorer) noexcept {
  const carrier& c = *f.on;
  if (c.native != &f || !c.guest_waits.load(std::memory_order_relaxed)) return false;
  auto const loop = reinterpret_cast<std::uintptr_t>(c.wait_frame);
  auto at = sys::interrupted_stack(u) & ~(sizeof(void*) - 1);
  constexpr std::uintptr_t most = 64 * 1024;  // what the loop's own calls take
  if (at >= loop || loop - at > most) return false;
  for (; at < loop; at += sizeof(void*))
    if (*reinterpret_cast<void* const*>(at) == restorer) return false;
  return true;
}

std::uint64_t mask_of(const ucontext_t& u) noexcept {
  std::uint64_t mask;
  std::memcpy(&mask, &u.uc_sigmask, sizeof mask);
  return mask;
}

/// Mask and alternate stack are the OS thread's, and the return from a handler sets both to what they were where
/// the signal came. What runs here may have come to another OS thread since: it leaves that one what it has. With
/// one alternate stack for two, their handlers would run on top of each other.
void keep_signals_of_this_thread(ucontext_t& u) noexcept {
  sys::raw_syscall(SYS_sigaltstack, 0, reinterpret_cast<long>(&u.uc_stack));
  sys::raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, reinterpret_cast<long>(&u.uc_sigmask), sizeof(std::uint64_t));
}

/// The runtime's signal once more, soon, to the calling OS thread, which is that of `c`: by a timer of the
/// kernel's, because nobody else may have the time, and there may be no monitor. Where the kernel refuses it, the
/// monitor asks.
void come_again(carrier& c, signal_counts& counts) noexcept {
  constexpr unsigned first_us = 50, doublings = 6;
  unsigned const after_us = first_us << std::min(counts.put_off++, doublings);
  struct {
    sigval_t value;
    int signal, notify, thread;
    char rest[64 - sizeof(sigval_t) - 3 * sizeof(int)];
  } event{};  // as the kernel has it
  // One that came to the loop is still there.
  if (c.alarm >= 0) sys::raw_syscall(SYS_timer_delete, std::exchange(c.alarm, -1));
  event.signal = preemption_signal;
  event.notify = SIGEV_THREAD_ID;
  event.thread = static_cast<int>(sys::raw_syscall(SYS_gettid));
  int made = -1;
  if (sys::raw_syscall(SYS_timer_create, CLOCK_MONOTONIC, reinterpret_cast<long>(&event),
                       reinterpret_cast<long>(&made)) != 0)
    return;
  c.alarm = made;
  itimerspec once{};
  once.it_value.tv_nsec = 1000L * after_us;
  sys::raw_syscall(SYS_timer_settime, made, 0, reinterpret_cast<long>(&once));
}

/// User code was interrupted, and the fiber can leave here.
bool may_give_way(const ucontext_t& u, const void* restorer) noexcept {
  return !is_telling_all(&u)  // soon done, and the monitor asks again
         && !in_handler_over_runtime(u, restorer);
}

/// In code that may be left.
void interrupt_user_code(ucontext_t& u, fiber* f, const void* restorer) noexcept {
  static constinit signal_counts of_no_fiber;
  signal_counts& counts = f != nullptr ? f->counts : of_no_fiber;
  signal_counts const before = counts;
  counts.put_off = 0;
  interrupted_call call(u, f != nullptr ? f->on->seen.call.read() : sys::call_note::content{},
                        f != nullptr ? f->timed_call_since.load(std::memory_order_relaxed) : 0,
                        f != nullptr ? f->bare_call.load(std::memory_order_relaxed) : -1);
  bool const programs_comes = program_signal_is_due(u);
  set_signal_mask(mask_of(u));
  bool stays = !may_give_way(u, restorer) || (f != nullptr && f->keeps_carrier);
  if (f != nullptr && signals_are_due(*f) && runs_here(*f)) {
    // One that the thread blocks is for a call that opens it, or that waits for it: on this OS thread.
    bool const all_are_open = (f->signals.load(std::memory_order_relaxed) & mask_of(u)) == 0;
    if (!stays && all_are_open) leave_guest_for_signals(*f);
    if (signals_are_due(*f)) stays |= deliver_signals(*f) == delivery::left_pending;
  }
  if (f != nullptr && !stays) give_way();  // signals of the program's may be taken there, too
  bool const ended_by_program = programs_comes || counts.taken != before.taken;
  if (ended_by_program) abandon_call(u, counts.ending == before.ending);
  if (!ended_by_program) ++counts.interruptions;  // for the call that goes on below this handler, if there is one
  if (call && !ended_by_program) interrupted_call::set_result(u, call.finish(counts, before.taken));
  leave_call(u);
}

/// The signal blocks all others while it looks at what it has interrupted: a handler of the program's that came in
/// between would make a call that it has ended look like one that this signal has.
void on_signal(int, siginfo_t*, void* context) {
  auto& u = *static_cast<ucontext_t*>(context);
  fiber* const f = current_fiber;
  bool const runs = f != nullptr && runs_here(*f);
  if (runs && f->on->alarm >= 0) sys::raw_syscall(SYS_timer_delete, std::exchange(f->on->alarm, -1));
  bool const lets_guest_go = f != nullptr && hurry_guest_with_signals(*f);
  const void* const restorer = __builtin_return_address(0);
  // A guest that is about to run another on top of its own has said so already.
  bool const is_mine = runs || (f != nullptr && f->of_guest);
  bool const in_its_call = is_mine && (f->keeps_carrier || in_loop_of_guest(u, *f, restorer));
  if (!in_its_call && !in_runtime(sys::interrupted_at(u))) {
    int const saved = errno;
    known_restorer.store(restorer, std::memory_order_relaxed);
    interrupt_user_code(u, f, restorer);
    errno = saved;
    keep_signals_of_this_thread(u);
  } else if (is_mine && (lets_guest_go || signals_are_due(*f))) {
    // The runtime's own code is soon through, or at a scheduling point. It may be in the midst of a switch, or of a
    // wake that others need in order to answer, and the program's handler may last until they have.
    come_again(*f->on, f->counts);
  }
}

int add_range(dl_phdr_info* info, std::size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    std::uintptr_t const begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    for (const auto& mark : marks) {
      auto const address = mark.load(std::memory_order_relaxed);  // registered long before a fiber needs rescue
      int const n = ranges.load(std::memory_order_relaxed);
      if (address != 0 && address >= begin && address < end && n < most_ranges) {
        own_text[n] = {begin, end};
        ranges.store(n + 1, std::memory_order_release);
      }
    }
  }
  return 0;
}

/// As the kernel has it on x86-64.
struct kernel_action {
  void* handler;
  unsigned long flags;
  void* restorer;
  std::uint64_t mask;
};

/// True if the handler is ours.
bool install() noexcept {
  static bool const installed = [] {
    struct sigaction present {};
    if (sigaction(preemption_signal, nullptr, &present) != 0) return false;
    if ((present.sa_flags & SA_SIGINFO) != 0 || present.sa_handler != SIG_DFL) return false;
    mark_runtime_code(reinterpret_cast<const void*>(&add_range));
    dl_iterate_phdr(add_range, nullptr);
    struct sigaction ours {};
    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_SIGINFO | SA_RESTART;
    std::uint64_t const all = deaf_mask();
    std::memcpy(&ours.sa_mask, &all, sizeof all);
    bool const is_set = sigaction(preemption_signal, &ours, nullptr) == 0;
    if (frames_are_behind_restorers && is_set) {
      kernel_action now{};
      sys::raw_syscall(SYS_rt_sigaction, preemption_signal, 0, reinterpret_cast<long>(&now), sizeof now.mask);
      known_restorer.store(now.restorer, std::memory_order_relaxed);
    }
    return is_set;
  }();
  return installed;
}

}  // namespace

void mark_runtime_code(const void* address) noexcept {
  for (auto& mark : marks) {
    std::uintptr_t empty = 0;
    if (mark.compare_exchange_strong(empty, reinterpret_cast<std::uintptr_t>(address), std::memory_order_relaxed))
      return;
  }
}

AMITY_NO_SANITIZE_ADDRESS void forget_past_handlers() noexcept {
  static unsigned long const largest = std::max(getauxval(AT_MINSIGSTKSZ), 4096ul);
  constexpr std::uintptr_t of_the_caller = 1024;  // between here and where the signals were raised
  const void* const restorer = install() ? known_restorer.load(std::memory_order_relaxed) : nullptr;
  const fiber* const f = current_fiber;
  if (restorer == nullptr || f == nullptr || f->native->kind == carrier_kind::guest) return;
  const sys::stack& own = shell_of(const_cast<fiber&>(*f)).stack;
  auto const bottom = reinterpret_cast<std::uintptr_t>(own.base), top = reinterpret_cast<std::uintptr_t>(own.top());
  // A frame begins with that address, far below this function's own.
  auto at = reinterpret_cast<std::uintptr_t>(base::stack_pointer()) & ~(sizeof(void*) - 1);
  if (at < bottom || at >= top) return;  // a stack of the program's own
  std::uintptr_t const last = at - bottom > largest + of_the_caller ? at - largest - of_the_caller : bottom;
  while (at > last) {
    at -= sizeof(void*);
    const void* volatile& word = *reinterpret_cast<const void* volatile*>(at);
    if (word == restorer) word = nullptr;
  }
}

bool interrupt(carrier& c) noexcept {
  if (!install()) return false;
  int const thread = c.thread_id.load(std::memory_order_relaxed);
  return sys::raw_syscall(SYS_tgkill, sys::raw_syscall(SYS_getpid), thread, preemption_signal) == 0;
}

}  // namespace amity::sched
