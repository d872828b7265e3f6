#include "amity/sched/loop/internal/shell.hpp"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>

#include "amity/sched/cores/contention.hpp"
#include "amity/sched/cores/locality.hpp"
#include "amity/sched/loop/internal/signals.hpp"
#include "amity/sched/loop/internal/switch.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/loop/upcalls.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/context.hpp"
#include "amity/sys/futex.hpp"
#include "amity/sys/rseq.hpp"

namespace amity::sched {
namespace {

constexpr std::size_t loop_stack_size = 64 * 1024;  // room for a signal handler's frame with AVX-512 or AMX state

void enter_loop(void* c) { scheduling_loop(*static_cast<carrier*>(c)); }

// OS threads that have not got as far as their loop: each will take memory of its own (its signal stack, malloc's
// bookkeeping). Relaxed: only a number. In a forked child it may stay too high, which keeps a little more free.
std::atomic<std::uint32_t> on_their_way{0};

/// The work of a fiber whose OS thread is to end. Never called.
void end(void*) {}

void* shell_main(void* pointer) {
  auto& s = *static_cast<shell*>(pointer);
  fiber& f = s.own;
  carrier& c = s.kernel_thread;
  current_fiber = &f;
  f.thread_pointer = sys::thread_pointer();
  c.thread_id.store(gettid(), std::memory_order_release);  // pairs with credentials.cpp
  if (is_steered(c)) end_steering(c);
  char name[24];  // the kernel keeps 15 characters
  snprintf(name, 16, "amity-%u", s.number);
  prctl(PR_SET_NAME, name);
  c.installed = f.thread_pointer;
  c.running.store(&f, std::memory_order_relaxed);
  c.loop_sp = sys::make_context(c.loop_stack.top(), enter_loop, &c);
  if (identity_mode() != sys::thread_pointer_mode::fixed) {
    sys::unregister_rseq(f.thread_pointer);
    if (c.kind == carrier_kind::shell) {  // until it runs a fiber; as close_ears (sleep.cpp)
      c.open_signals = set_signal_mask(deaf_mask());
      c.deaf = true;
    }
  }
  sys::arm_stack_overflow_handler();
  on_their_way.fetch_sub(1, std::memory_order_relaxed);
  for (;;) {
    park_unplaced();
    // Acquire pairs with assign and end_shell; null: a wake without cause.
    auto entry = f.entry.exchange(nullptr, std::memory_order_acquire);
    if (entry == end) break;
    if (entry != nullptr) entry(f.argument);
  }
  // On its own OS thread (end_shell). What runs from here on, destructors of the program's, may come back as a
  // guest.
  sys::disarm_stack_overflow_handler();
  current_fiber = nullptr;
  return nullptr;
}

/// Where address space is limited, stacks must not take all of it: the program needs some, and so does the bookkeeping
/// of a team that had to stay small. False, with errno, if this much is not left.
bool leaves_address_space() noexcept {
  constexpr std::size_t for_program = 8u << 20, for_each = 128u << 10;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  std::size_t const enough = for_program + on_their_way.load(std::memory_order_relaxed) * for_each;
  sys::stack const rest = sys::map_stack(enough);
  sys::unmap_stack(rest);
  return static_cast<bool>(rest);
}

void give_stacks_back(shell& s) noexcept {
  if (s.stack) setting.unmap_stack(s.stack);
  sys::unmap_stack(s.kernel_thread.loop_stack);
  s.stack = {};
  s.kernel_thread.loop_stack = {};
}

}  // namespace

void rest_a_moment() noexcept {
  static std::atomic<std::uint32_t> no_word{0};
  sys::futex_wait_for(no_word, 0, 50'000);
}

refusal start_shell(shell& s) noexcept {
  static unsigned started = 0;
  s.number = ++started % 100000u;
  std::size_t const size = setting.stack_size < least_stack_size ? least_stack_size : setting.stack_size;
  s.stack = setting.map_stack(size);
  if (s.stack) s.kernel_thread.loop_stack = sys::map_stack(loop_stack_size);
  if (!s.stack || !s.kernel_thread.loop_stack || !leaves_address_space()) {
    int const error = errno != 0 ? errno : ENOMEM;
    give_stacks_back(s);
    return {"a stack of the size that OMP_STACKSIZE or the limit of the shell says", error};
  }
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, s.stack.base, s.stack.size & ~std::size_t{63});
  pthread_t thread;
  on_their_way.fetch_add(1, std::memory_order_relaxed);
  bool const is_helper = s.kernel_thread.kind == carrier_kind::helper;
  bool const steered = is_helper && start_apart(s.kernel_thread, attributes);
  int const error = pthread_create(&thread, &attributes, shell_main, &s);
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    on_their_way.fetch_sub(1, std::memory_order_relaxed);
    if (steered) s.kernel_thread.core.steered.now.store(steering::none, std::memory_order_relaxed);
    give_stacks_back(s);
    return {"an OS thread", error};
  }
  follow_credentials();
  s.kernel_thread.thread = thread;
  s.kernel_thread.is_there.store(true, std::memory_order_relaxed);
  set_free(thread);
  sys::register_guard(s.stack);
  return {};
}

bool end_shell(shell& s, std::uint64_t deadline) noexcept {
  fiber& f = s.own;
  carrier& c = s.kernel_thread;
  // As in try_claim, step C2. The carrier that has the fiber is about to land it.
  for (std::uint32_t free = 0;
       !f.claimed.compare_exchange_weak(free, 1, std::memory_order_acquire, std::memory_order_relaxed); free = 0)
    rest_a_moment();
  f.on = &c;
  f.entry.store(end, std::memory_order_relaxed);  // released by `ends`
  // Dekker with sleep: it sets `asleep`, then reads `ends`. All seq_cst.
  c.ends.store(1, std::memory_order_seq_cst);
  if (c.asleep.load(std::memory_order_seq_cst) != 0) wake_carrier(c, nullptr);
  while (c.ends.load(std::memory_order_relaxed) != 0) {
    rest_a_moment();
    // Null or its native one: it looks for work, or is about to be given a core.
    const fiber* const occupant = c.running.load(std::memory_order_relaxed);
    if (occupant == nullptr || occupant == &f || sys::ticks() < deadline) continue;
    // One of two exchanges gets the call: the OS thread's (claim_to_end) follows it, this one takes it back.
    if (c.ends.exchange(0, std::memory_order_relaxed) == 0) continue;
    f.entry.store(nullptr, std::memory_order_relaxed);
    f.claimed.store(0, std::memory_order_release);  // pairs with the next claim, as in land
    return false;
  }
  pthread_join(c.thread, nullptr);
  c.thread_id.store(0, std::memory_order_relaxed);  // the kernel may give the number to another
  c.is_there.store(false, std::memory_order_relaxed);
  sys::unregister_guard(s.stack);
  give_stacks_back(s);
  return true;
}

}  // namespace amity::sched
