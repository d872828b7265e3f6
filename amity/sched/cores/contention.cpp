#include "amity/sched/cores/contention.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>

#include <mutex>
#include <new>

#include "amity/base/processor.hpp"
#include "amity/sched/cores/locality.hpp"
#include "amity/sys/affinity.hpp"
#include "amity/sys/futex.hpp"
#include "amity/sys/raw_syscall.hpp"

namespace amity::sched {

std::atomic<std::uint64_t> any_shared_until{0};
cpu_note cpu_notes[most_cpus] = {};

namespace {

using std::memory_order_relaxed;
using std::memory_order_seq_cst;
using sys::affinity;
using sys::get_affinity;
using sys::set_affinity;

/// A move that lasts as long met somebody who used up a slice; to wake a CPU takes less (wake_cost.hpp).
constexpr std::uint64_t slice_us = 700;
/// What happens later says nothing of the move.
constexpr std::uint64_t check_us = 10'000;

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
  long const before = c.core.switches_at_move;
  c.core.switches_at_move = -1;
  bool const still_there =
      sys::current_cpu() == c.core.moved_to && now - c.core.moved_at < sys::ticks_of_microseconds(check_us);
  if (still_there && preemptions() > before) mark_taken(c.core.moved_to, now);
}

bool move_apart(carrier& c, std::uint64_t now) noexcept {
  if (c.kind != carrier_kind::helper || now - c.core.moved_at < sys::ticks_of_microseconds(soon_again_us)) return false;
  c.core.moved_at = now;
  int const here = c.core.cpu.load(memory_order_relaxed);
  // Not while somebody confines it; once it is confined, it belongs there.
  std::unique_lock const nobody_confines(affinity_lock, std::try_to_lock);
  if (!nobody_confines.owns_lock() || c.core.locality.load(memory_order_relaxed) != 0 || here < 0) return false;
  affinity allowed;
  if (!get_affinity(allowed)) return false;
  auto const [there, is_taken] = cpu_after(here, allowed, c, now);
  if (there < 0) return false;
  affinity const only = affinity::of(there);
  if (!set_affinity(only)) return false;  // returns when it runs there
  // There it stays until the kernel finds a reason. Somebody outside may have given it other CPUs meanwhile.
  if (affinity found; get_affinity(found) && found == only) set_affinity(allowed);
  note_cpu(c);
  c.core.moved_at = sys::ticks();
  c.core.moved_to = there;
  c.core.switches_at_move = preemptions();
  if (c.core.moved_at - now > sys::ticks_of_microseconds(slice_us)) mark_taken(there, c.core.moved_at);
  if (is_taken) begin_turn(c, c.core.moved_at);
  return true;
}

bool start_apart(carrier& c, pthread_attr_t& attributes) noexcept {
  int const here = sys::current_cpu();
  if (here < 0 || sys::kernel_sees_idle_cores) return false;
  std::lock_guard const nobody_moves_it(affinity_lock);
  affinity& allowed = c.core.steered.before;
  if (!get_affinity(allowed)) return false;
  auto const [there, is_taken] = cpu_after(here, allowed, c, sys::ticks());
  if (there < 0 || is_taken) return false;
  affinity only = affinity::of(there);
  if (pthread_attr_setaffinity_np(&attributes, sizeof only, reinterpret_cast<cpu_set_t*>(&only)) != 0) return false;
  c.core.steered.cpu = there;
  c.core.steered.now.store(steering::confined, memory_order_relaxed);  // the thread is made after that
  // What the next one that is made sees of it, until it has looked by itself.
  c.core.cpu.store(there, memory_order_relaxed);
  cpu_notes[there].last.store(&c, std::memory_order_release);  // pairs with company_on
  return true;
}

bool begin_steering(carrier& c, const carrier& waker) noexcept {
  // `cpu` is relaxed here as everywhere, a hint: a CPU left meanwhile costs a late start, as without all this.
  int const here = waker.core.cpu.load(memory_order_relaxed);
  bool const would_meet = c.kind == carrier_kind::helper && here >= 0 && c.core.cpu.load(memory_order_relaxed) == here;
  if (!would_meet || sys::kernel_sees_idle_cores) [[likely]]
    return false;
  std::uint32_t before = steering::none;
  return c.core.steered.now.compare_exchange_strong(before, steering::begun, memory_order_seq_cst,
                                                    memory_order_relaxed);
}

void drop_steering(carrier& c) noexcept { c.core.steered.now.store(steering::none, memory_order_relaxed); }

void steer(carrier& c, const carrier& waker) noexcept {
  int here = waker.core.cpu.load(memory_order_relaxed);
  int const thread = c.thread_id.load(memory_order_relaxed);  // one that no thread has any more makes get fail
  cpu_found found;
  bool confined = false;
  {
    std::unique_lock const nobody_confines(affinity_lock, std::try_to_lock);
    affinity& allowed = c.core.steered.before;
    if (nobody_confines.owns_lock() && c.core.locality.load(memory_order_relaxed) == 0 && thread != 0 &&
        get_affinity(allowed, thread))
      found = cpu_after(here, allowed, c, sys::ticks());
    c.core.steered.cpu = found.cpu;
    confined = found.cpu >= 0 && !found.is_taken && set_affinity(affinity::of(found.cpu), thread);
  }
  if (confined) c.core.cpu.compare_exchange_strong(here, found.cpu, memory_order_relaxed);  // until it has looked
  c.core.steered.now.store(confined ? steering::confined : steering::none,
                           std::memory_order_release);  // with end_steering
}

void end_steering(carrier& c) noexcept {
  for (int turns = 0; c.core.steered.now.load(std::memory_order_acquire) == steering::begun; ++turns) {  // with steer
    constexpr int longest = 100;  // then its waker may have no core
    turns < longest ? base::cpu_relax() : sys::yield_to_holder();
  }
  if (c.core.steered.now.load(memory_order_relaxed) == steering::none) return;
  std::lock_guard const nobody_confines(affinity_lock);
  // A layer above, or somebody outside, may have given it other CPUs meanwhile, or that very one for good (confine).
  bool const is_confined = c.core.locality.load(memory_order_relaxed) != 0;
  if (affinity found; !is_confined && get_affinity(found) && found == affinity::of(c.core.steered.cpu))
    set_affinity(c.core.steered.before);
  c.core.steered.now.store(steering::none, memory_order_relaxed);
}

void forget_cpus() noexcept {
  new (&affinity_lock) sys::spin_lock;  // somebody may have held it
  for (cpu_note& note : cpu_notes) note.last.store(nullptr, memory_order_relaxed);
}

}  // namespace amity::sched
