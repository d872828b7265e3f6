#include "amity/sched/contention.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>

#include <mutex>
#include <new>

#include "amity/sched/locality.hpp"
#include "amity/sys/futex.hpp"
#include "amity/sys/raw_syscall.hpp"

namespace amity::sched {

std::atomic<std::uint64_t> any_shared_until{0};
cpu_note cpu_notes[most_cpus] = {};

namespace {

using std::memory_order_relaxed;

/// A move that lasts as long met somebody who used up a slice; to wake a CPU takes less (wake_cost.hpp).
constexpr std::uint64_t slice_us = 700;
/// What happens later says nothing of the move.
constexpr std::uint64_t check_us = 10'000;

/// As the kernel reads and writes it.
struct affinity {
  static constexpr int bits = 64;
  std::uint64_t words[most_cpus / bits] = {};

  static affinity of(int cpu) noexcept {
    affinity a;
    a.words[cpu / bits] = std::uint64_t{1} << (cpu % bits);
    return a;
  }
  bool operator==(const affinity&) const = default;
  [[nodiscard]] bool has(int cpu) const noexcept { return (words[cpu / bits] >> (cpu % bits) & 1) != 0; }
};

// Without errno and the C library: it may be called where neither is the caller's. 0: the calling thread.
bool get(affinity& a, int thread = 0) noexcept {
  return sys::raw_syscall(SYS_sched_getaffinity, thread, sizeof a, reinterpret_cast<long>(&a)) > 0;
}
bool set(const affinity& a, int thread = 0) noexcept {
  return sys::raw_syscall(SYS_sched_setaffinity, thread, sizeof a, reinterpret_cast<long>(&a)) == 0;
}

/// A CPU without another carrier that is awake: one that seems free, or else one that somebody outside uses as well.
/// -1: none. From one CPU to the next, so that not all go to the lowest.
struct cpu_found {
  int cpu = -1;
  bool is_taken = false;
};
cpu_found cpu_after(int here, const affinity& allowed, const carrier& c, std::uint64_t now) noexcept {
  cpu_found found;
  for (int step = 1; step < most_cpus; ++step) {
    int const cpu = (here + step) % most_cpus;
    if (!allowed.has(cpu) || company_on(cpu, c) != nullptr) continue;
    if (!cpu_notes[cpu].while_taken.covers(now)) return {cpu, false};
    if (found.cpu < 0) found = {cpu, true};
  }
  return found;
}

void mark_taken(int cpu, std::uint64_t now) noexcept { cpu_notes[cpu].while_taken.begin(now, longest_taken_us); }

}  // namespace

long preemptions() noexcept {
  rusage used;
  if (sys::raw_syscall(SYS_getrusage, RUSAGE_THREAD, reinterpret_cast<long>(&used)) != 0) return -1;
  return used.ru_nivcsw;
}

void note_absence(carrier& c, std::uint64_t now) noexcept {
  int const cpu = sys::current_cpu();
  bool const is_foreign = cpu >= 0 && cpu < most_cpus && company_on(cpu, c) == nullptr;
  if (is_foreign) mark_taken(cpu, now);
  if (is_foreign && c.kind == carrier_kind::helper && now >= own_threads_until.load(memory_order_relaxed))
    begin_turn(c, now);
  else
    mark_shared(c, now);
}

void check_move(carrier& c, std::uint64_t now) noexcept {
  long const before = c.switches_at_move;
  c.switches_at_move = -1;
  bool const still_there = sys::current_cpu() == c.moved_to && now - c.moved_at < sys::ticks_of_microseconds(check_us);
  if (still_there && preemptions() > before) mark_taken(c.moved_to, now);
}

bool move_apart(carrier& c, std::uint64_t now) noexcept {
  if (c.kind != carrier_kind::helper || now - c.moved_at < sys::ticks_of_microseconds(soon_again_us)) return false;
  c.moved_at = now;
  int const here = c.cpu.load(memory_order_relaxed);
  // Not while somebody confines it; once it is confined, it belongs there.
  std::unique_lock const nobody_confines(affinity_lock, std::try_to_lock);
  if (!nobody_confines.owns_lock() || c.locality.load(memory_order_relaxed) != 0 || here < 0) return false;
  affinity allowed;
  if (!get(allowed)) return false;
  auto const [there, is_taken] = cpu_after(here, allowed, c, now);
  if (there < 0) return false;
  affinity const only = affinity::of(there);
  if (!set(only)) return false;  // returns when it runs there
  // There it stays until the kernel finds a reason. Somebody outside may have given it other CPUs meanwhile.
  if (affinity found; get(found) && found == only) set(allowed);
  note_cpu(c);
  c.moved_at = sys::ticks();
  c.moved_to = there;
  c.switches_at_move = preemptions();
  if (c.moved_at - now > sys::ticks_of_microseconds(slice_us)) mark_taken(there, c.moved_at);
  if (is_taken) begin_turn(c, c.moved_at);
  return true;
}

void start_apart(carrier& c, pthread_t thread) noexcept {
  int const here = sys::current_cpu();
  if (here < 0 || sys::kernel_sees_idle_cores) return;
  std::lock_guard const nobody_moves_it(affinity_lock);
  affinity allowed;
  auto* const set_of = reinterpret_cast<cpu_set_t*>(&allowed);
  if (pthread_getaffinity_np(thread, sizeof allowed, set_of) != 0) return;
  auto const [there, is_taken] = cpu_after(here, allowed, c, sys::ticks());
  if (there < 0 || is_taken) return;
  affinity only = affinity::of(there);
  if (pthread_setaffinity_np(thread, sizeof only, reinterpret_cast<cpu_set_t*>(&only)) != 0) return;
  pthread_setaffinity_np(thread, sizeof allowed, set_of);
  // What the next one that is made sees of it, until it has looked by itself.
  c.cpu.store(there, memory_order_relaxed);
  cpu_notes[there].last.store(&c, std::memory_order_release);  // pairs with company_on
}

void wake_apart(carrier& c, const carrier& waker) noexcept {
  // `cpu` and `thread_id` are relaxed here as everywhere: hints. A CPU left meanwhile costs a late start, as without
  // all this; a number that no thread has any more makes get() fail.
  int here = waker.cpu.load(memory_order_relaxed);
  bool const would_meet = c.kind == carrier_kind::helper && here >= 0 && c.cpu.load(memory_order_relaxed) == here;
  if (!would_meet || sys::kernel_sees_idle_cores) [[likely]] {
    sys::futex_wake(c.asleep, 1);
    return;
  }
  std::unique_lock const nobody_confines(affinity_lock, std::try_to_lock);
  int const thread = c.thread_id.load(memory_order_relaxed);
  affinity allowed, only;
  cpu_found found;
  if (nobody_confines.owns_lock() && c.locality.load(memory_order_relaxed) == 0 && thread != 0 && get(allowed, thread))
    found = cpu_after(here, allowed, c, sys::ticks());
  if (found.cpu >= 0 && !found.is_taken) only = affinity::of(found.cpu);
  bool const confined = only != affinity{} && set(only, thread);
  sys::futex_wake(c.asleep, 1);
  if (!confined) return;
  if (affinity now; get(now, thread) && now == only) set(allowed, thread);  // as in move_apart
  c.cpu.compare_exchange_strong(here, found.cpu, memory_order_relaxed);     // for the next waker, until it has looked
}

void forget_cpus() noexcept {
  new (&affinity_lock) spin_lock;  // somebody may have held it
  for (cpu_note& note : cpu_notes) note.last.store(nullptr, memory_order_relaxed);
}

}  // namespace amity::sched
