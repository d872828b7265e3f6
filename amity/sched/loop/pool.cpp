#include "amity/sched/loop/pool.hpp"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <utility>

#include "amity/base/assert.hpp"
#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"
#include "amity/sched/cores/contention.hpp"
#include "amity/sched/cores/guest_load.hpp"
#include "amity/sched/cores/internal/core_limit.hpp"
#include "amity/sched/cores/locality.hpp"
#include "amity/sched/fiber/identity.hpp"
#include "amity/sched/fiber/registry.hpp"
#include "amity/sched/loop/internal/progress.hpp"
#include "amity/sched/loop/internal/shell.hpp"
#include "amity/sched/loop/internal/switch.hpp"
#include "amity/sched/loop/internal/timers.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/stack_size.hpp"
#include "amity/sched/loop/upcalls.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/context.hpp"
#include "amity/sys/cpus.hpp"
#include "amity/sys/current_cpu.hpp"
#include "amity/sys/launcher.hpp"
#include "amity/sys/process_barrier.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/sys/rseq.hpp"
#include "amity/sys/spin_lock.hpp"
#include "amity/sys/stack.hpp"

namespace amity::sched {

pool_setting setting;

namespace {

constexpr int most_workers = 1024;  // what AMITY_THREADS may ask for

/// All that a forked child has to forget. Objects are never freed: thieves and late wakers may look at them at any
/// time.
struct pool_state {
  bool started = false;
  fiber* free_shells = nullptr;
  fiber* bare_shells = nullptr;  ///< without OS thread: it was refused, or has ended
  refusal refused;
  carrier* free_guests = nullptr;
  std::atomic<carrier*> helpers[all_helpers] = {};
};

pool_state state;
sys::spin_lock pool_lock;  // guards `state` apart from its atomics, and the free lists of groups
std::uint64_t start_ticks = 0;
pthread_key_t guest_key;
constexpr int most_fork_hooks = 4;
void (*fork_child_hooks[most_fork_hooks])() = {};
void (*guest_exit_hook)() = nullptr;

template <class T>
T* try_make() noexcept {
  void* memory = base::take_private(sizeof(T), alignof(T));
  return memory == nullptr ? nullptr : new (memory) T;
}

template <class T>
T* make() noexcept {
  T* const made = try_make<T>();
  if (made == nullptr) base::fatal("out of memory for a thread's bookkeeping (%zu bytes)", sizeof(T));
  return made;
}

void push(fiber*& list, fiber& f) noexcept { f.next = std::exchange(list, &f); }

void init_carrier(carrier& c, fiber& own, carrier_kind kind, int slot) noexcept {
  c.native = &own;
  c.kind = kind;
  c.slot = slot;
  c.solo.home = &c;
  c.solo.exclusive = kind != carrier_kind::helper;
  attach(c.solo);
  c.solo.members[0].store(&own, std::memory_order_relaxed);
  own.native = &c;
  own.on = &c;
  note_fiber(own);
  trace::register_counters(c.stats);
}

// --- guests

char last_words;  // the key's value in a thread that was the last guest, for its second call

void guest_thread_ends(void* fiber_pointer) {
  if (fiber_pointer == &last_words) return end_with_the_last();
  auto* f = static_cast<fiber*>(fiber_pointer);
  if (f != current_fiber) return;  // forked since
  if (guest_exit_hook != nullptr) guest_exit_hook();
  note_end_of_guest();
  sys::disarm_stack_overflow_handler();
  current_fiber = nullptr;
  give_core(*f->native);
  std::lock_guard lock(pool_lock);
  f->native->thread_id.store(0, std::memory_order_relaxed);
  f->native->is_there.store(false, std::memory_order_relaxed);
  note_leaving_guest();
  if (guest_went() == 0) pthread_setspecific(guest_key, &last_words);
  f->native->next_free = state.free_guests;
  state.free_guests = f->native;
}

fiber* become_guest() noexcept {
  fiber* f;
  {
    std::lock_guard lock(pool_lock);
    carrier* c = state.free_guests;
    if (c != nullptr) {
      state.free_guests = c->next_free;
      f = c->native;
    } else {
      f = make<fiber>();
      f->of_guest = true;  // and for ever: the monitor may look at it from now on
      c = make<carrier>();
      init_carrier(*c, *f, carrier_kind::guest, 0);
      link_scheduler(*c);
    }
    f->thread_pointer = sys::thread_pointer();
    f->claimed.store(1, std::memory_order_relaxed);
    f->seat.store(seat_of(&c->solo, 0), std::memory_order_relaxed);
    c->installed = f->thread_pointer;
    c->thread_id.store(gettid(), std::memory_order_release);  // after the thread pointer: pairs with credentials.cpp
    c->is_there.store(true, std::memory_order_relaxed);
    c->thread = pthread_self();
    guest_came();
    c->core.locality.store(0, std::memory_order_relaxed);  // what its predecessor was
    c->running.store(f, std::memory_order_relaxed);
  }
  current_fiber = f;
  if (identity_mode() == sys::thread_pointer_mode::fixed)
    take_core_at_once(*f->native);
  else  // the fibers that it will carry may overflow their stacks
    sys::arm_stack_overflow_handler();
  pthread_setspecific(guest_key, f);
  return f;
}

// --- fork

std::atomic<bool> started{false};

void before_fork() { pool_lock.lock(); }

void after_fork_in_parent() { pool_lock.unlock(); }

/// Only the calling OS thread came along, perhaps carrying a fiber that is not its own. Whatever it was, it is a
/// guest from now.
void after_fork_in_child() {
  if (!started.load(std::memory_order_relaxed)) return pool_lock.unlock();
  if (fiber* f = current_fiber; f != nullptr && f->on->native != f)
    // The kernel still knows the rseq area of the thread that carried us; its memory will be reused.
    sys::unregister_rseq(f->on->native->thread_pointer);
  current_fiber = nullptr;
  new (&state) pool_state;
  state.started = true;
  forget_monitor();
  forget_timers();
  forget_progress();
  forget_fibers();
  forget_cpus();
  forget_guests();
  forget_last_thread();
  forget_signals();
  set_up_cores(wanted_carriers());
  restart_stats();
  restart_profile();
  pool_lock.unlock();
  for (auto* hook : fork_child_hooks)
    if (hook != nullptr) hook();
}

/// When the library is loaded, not when the pool starts: a fork in those microseconds would take the lock along, held
/// by a thread that the child does not have.
[[gnu::constructor]] void watch_forks() noexcept {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

// --- start

int carriers_from_environment(int fallback) noexcept {
  const char* text = getenv("AMITY_THREADS");
  if (text == nullptr) return fallback;
  char* end = nullptr;
  errno = 0;
  long const value = strtol(text, &end, 10);
  if (errno == 0 && end != text && *end == '\0' && value >= 1 && value <= most_workers) return static_cast<int>(value);
  base::warn("AMITY_THREADS='%s' is not a number from 1 to %d; the %d cores that may be used are used",
             base::quoted(text).text, most_workers, fallback);
  return fallback;
}

/// A process of a job of several has its share of the node's. One that asks for nothing of a job is part of one only
/// where `amity run -n` has started it.
int own_share_of_cpus() noexcept {
  sys::cpu_budget const budget = sys::usable_cpus();
  sys::node_rank const me = sys::rank_on_node();
  const char* const run = getenv("AMITY_RUN_RANK");  // "unbound", or "maybe-bound": cli/launch.cpp
  if (me.size <= 1 || (run == nullptr && !sys::program_asks_for("_ZN5amity3net"))) return budget.usable;
  bool const unbound = run != nullptr && strcmp(run, "unbound") == 0;
  return sys::share_of_node(budget, me, unbound ? sys::dealt::to_nobody : sys::dealt::unknown);
}

/// `amity run -t N`: as many workers for tasks of C++. For a program of OpenMP alone N is the number of its threads,
/// which share the cores' workers; so 0.
int workers_of_run() noexcept {
  int const wanted = sys::number_of_variable("AMITY_RUN_THREADS", 0);
  static constexpr const char* ours[] = {"libamity", "libomp_amity", "libgomp", "libomp", "libiomp5", nullptr};
  return wanted > 0 && sys::program_asks_for("_ZN5amity", ours) ? wanted : 0;
}

int wanted_at_start() noexcept {
  if (setting.carriers > 0) return setting.carriers;
  if (getenv("AMITY_THREADS") == nullptr)
    if (int const workers = workers_of_run(); workers > 0) return workers;
  return carriers_from_environment(own_share_of_cpus());
}

void start() noexcept {
  sys::calibrate_ticks();
  sys::probe_current_cpu();
  sys::prepare_barriers();
  start_ticks = sys::ticks();
  read_report_setting();
  read_counters_setting();
  read_stats_setting();
  warn_of_unknown_names();
  remember_cpus();
  choose_identity_mode();
  want_carriers(std::min(wanted_at_start(), most_workers));
  set_up_cores(wanted_carriers());
  if (setting.stack_size == 0) setting.stack_size = default_stack_size();
  pthread_key_create(&guest_key, guest_thread_ends);
  sys::install_stack_overflow_handler();
  begin_profile();
}

void ensure_started() noexcept {
  if (started.load(std::memory_order_acquire)) [[likely]]  // pairs with the store below
    return;
  std::lock_guard lock(pool_lock);
  if (started.load(std::memory_order_relaxed)) return;
  start();
  started.store(true, std::memory_order_release);
}

// --- shells

/// A shell's bookkeeping, without stacks and OS thread; null if there is no memory. Under the pool's lock.
shell* conceive_shell(carrier_kind kind, int slot) noexcept {
  if (fiber* f = state.bare_shells) {
    state.bare_shells = f->next;
    carrier& c = *f->native;
    c.kind = kind;
    c.slot = slot;
    c.solo.exclusive = kind != carrier_kind::helper;
    return &shell_of(*f);
  }
  auto* s = try_make<shell>();
  if (s != nullptr) init_carrier(s->kernel_thread, s->own, kind, slot);
  return s;
}

/// Makes a shell; as the helper at `slot` if that is > 0. Null if the system refuses. Under the pool's lock.
shell* make_shell(int slot) noexcept {
  shell* const s = conceive_shell(slot > 0 ? carrier_kind::helper : carrier_kind::shell, slot);
  if (s == nullptr) {
    state.refused = {"memory", ENOMEM};
    return nullptr;
  }
  refusal const why = start_shell(*s);
  if (why.error == 0) return s;
  state.refused = why;
  push(state.bare_shells, s->own);  // the other way: its counters are registered, so it stays
  return nullptr;
}

/// Under the pool's lock.
carrier* helper_locked(int slot) noexcept {
  if (carrier* c = state.helpers[slot].load(std::memory_order_relaxed)) return c;
  shell* s = make_shell(slot);
  if (s == nullptr) return nullptr;
  push(state.free_shells, s->own);
  link_scheduler(s->kernel_thread);
  state.helpers[slot].store(&s->kernel_thread, std::memory_order_release);
  return &s->kernel_thread;
}

fiber* take_free_shell(int slot) noexcept {
  for (fiber** link = &state.free_shells; *link != nullptr; link = &(*link)->next) {
    fiber* f = *link;
    if (f->native->slot != slot) continue;
    *link = f->next;
    return f;
  }
  return nullptr;
}

}  // namespace

fiber* self() noexcept {
  if (fiber* f = current_fiber) [[likely]]
    return f;
  ensure_started();
  return become_guest();
}

std::uint64_t started_at() noexcept { return start_ticks; }

int concurrency() noexcept {
  ensure_started();
  return wanted_carriers();
}

carrier* helper(int slot) noexcept {
  AMITY_ASSERT(slot >= 1 && slot < all_helpers);
  if (carrier* c = state.helpers[slot].load(std::memory_order_acquire)) return c;
  std::lock_guard lock(pool_lock);
  return helper_locked(slot);
}

fiber* acquire_shell(int slot) noexcept {
  ensure_started();
  shell* s;
  {
    std::lock_guard lock(pool_lock);
    if (slot > 0 && identity_mode() != sys::thread_pointer_mode::fixed) {
      helper_locked(slot);
      if (fiber* f = take_free_shell(slot)) return f;
    }
    if (fiber* f = take_free_shell(-1)) return f;
    s = make_shell(-1);
  }
  if (identity_mode() == sys::thread_pointer_mode::fixed && current_fiber != nullptr)
    regain_core(*current_fiber->on);  // a wait for a new OS thread to start looks like sleep
  return s == nullptr ? nullptr : &s->own;
}

refusal last_refusal() noexcept {
  std::lock_guard lock(pool_lock);
  return state.refused;
}

void note_refusal(refusal why) noexcept {
  std::lock_guard lock(pool_lock);
  state.refused = why;
}

void release_shell(fiber* f) noexcept {
  std::lock_guard lock(pool_lock);
  push(state.free_shells, *f);
}

void end_idle_shells() noexcept {
  constexpr std::uint64_t patience_us = 1'000'000;       // for those whose OS thread carries another's fiber just now
  if (!started.load(std::memory_order_acquire)) return;  // as in ensure_started
  int cancellable;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
  fiber* idle;
  {
    std::lock_guard lock(pool_lock);
    idle = std::exchange(state.free_shells, nullptr);
  }
  std::uint64_t const deadline = sys::ticks() + sys::ticks_of_microseconds(patience_us);
  while (idle != nullptr) {
    fiber& f = *std::exchange(idle, idle->next);
    carrier& c = *f.native;
    sys::cpu_mask const cpus = cpus_of(c);
    bool const ended = end_shell(shell_of(f), deadline);
    std::lock_guard lock(pool_lock);
    if (ended && c.kind == carrier_kind::shell) {
      c.core.locality.store(0, std::memory_order_relaxed);
      push(state.bare_shells, f);
      continue;
    }
    // Fibers of others may be at home on a helper. Until the new OS thread looks for them it seems to run its own.
    if (ended && start_shell(shell_of(f)).error != 0) {
      base::warn("the system refuses to start a thread again that omp_pause_resource has ended; OpenMP will be slower");
      continue;
    }
    if (ended) stay_confined(c, cpus);
    push(state.free_shells, f);
  }
  pthread_setcancelstate(cancellable, nullptr);
}

namespace {

struct visit {
  void (*entry)();
  fiber* caller;
  std::atomic<bool> over{false};
};

void visit_main(void* argument) {
  visit& v = *static_cast<visit*>(argument);
  v.entry();
  fiber* const caller = v.caller;
  withdraw(*current_fiber);
  v.over.store(true, std::memory_order_release);  // the last touch of `v`; pairs with run_on_idle_shells
  unpark(caller);
}

}  // namespace

void run_on_idle_shells(void (*entry)()) noexcept {
  if (!started.load(std::memory_order_acquire)) return;  // as in ensure_started
  fiber* const caller = self();
  ready_group* const here = identity_mode() == sys::thread_pointer_mode::fixed
                                ? nullptr
                                : acquire_group(*group_of(caller->seat.load(std::memory_order_relaxed))->home);
  fiber* idle;
  {
    std::lock_guard lock(pool_lock);
    idle = std::exchange(state.free_shells, nullptr);
  }
  while (idle != nullptr) {
    fiber& f = *std::exchange(idle, idle->next);
    visit v{entry, caller};
    if (assign(f, here != nullptr ? *here : f.native->solo, 0, visit_main, &v)) await_landings();
    unpark(&f);
    while (!v.over.load(std::memory_order_acquire)) park(*caller);  // pairs with visit_main
    release_shell(&f);
  }
  if (here != nullptr) release_group(here);
}

bool assign(fiber& f, ready_group& group, int bit, void (*entry)(void*), void* argument) noexcept {
  AMITY_ASSERT(identity_mode() == sys::thread_pointer_mode::fixed || f.seat.load(std::memory_order_relaxed) == 0);
  f.argument = argument;
  f.seat.store(seat_of(&group, bit), std::memory_order_release);
  group.members[bit].store(&f, std::memory_order_release);  // pairs with try_claim
  // Last: a late permit of the seat may have the fiber begin here and now. Pairs with shell_main.
  f.entry.store(entry, std::memory_order_release);
  // Dekker with land at home, which clears the claim, then looks at the seat, without a fence in between.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return f.claimed.load(std::memory_order_relaxed) != 0;
}

void await_landings() noexcept { static_cast<void>(sys::await_all_stores()); }

void withdraw(fiber& f) noexcept {
  std::uintptr_t const seat = f.seat.exchange(0, std::memory_order_relaxed);
  if (seat == 0) return;
  auto& member = group_of(seat)->members[seat & (ready_group::capacity - 1)];
  AMITY_ASSERT(member.load(std::memory_order_relaxed) == &f);  // else its group was given to another team too early
  member.store(nullptr, std::memory_order_relaxed);
}

ready_group* acquire_group(carrier& home) noexcept {
  std::lock_guard lock(pool_lock);
  if (ready_group* g = home.free_groups) {
    home.free_groups = g->next_free;
    return g;
  }
  auto* g = make<ready_group>();
  g->home = &home;
  attach(*g);
  return g;
}

void release_group(ready_group* group) noexcept {
  std::lock_guard lock(pool_lock);
  group->next_free = group->home->free_groups;
  group->home->free_groups = group;
}

void on_fork_child(void (*hook)()) noexcept {
  std::lock_guard lock(pool_lock);
  for (auto*& place : fork_child_hooks)
    if (place == nullptr || place == hook) {
      place = hook;
      return;
    }
  base::fatal("more than %zu parts of the runtime want to be told of forks", std::size_t{most_fork_hooks});
}

void on_guest_exit(void (*hook)()) noexcept { guest_exit_hook = hook; }

}  // namespace amity::sched
