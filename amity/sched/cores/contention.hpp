#pragma once

/// Noticing that a core is not one's own.
///
/// A thread that spins looks at the clock every few hundred cycles; a gap of more than `away_limit` means that the
/// kernel (or the hypervisor) ran something else there. From then on the carrier counts as *shared* for a while: it
/// does not spin, others take its ready fibers without delay, and short waits do not wake it. When the while is over it
/// is tried again (doubling_while.hpp). A helper takes turns with whoever it was, instead (turns.hpp). One whose core
/// the program's own threads keep busy counts as shared, too (guest_load.hpp).

#include <pthread.h>

#include <cstdint>

#include "amity/sched/cores/guest_load.hpp"
#include "amity/sched/cores/take_turns.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/idle/doubling_while.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/current_cpu.hpp"

namespace amity::sched {

/// Longer than an interrupt takes, on a virtual machine too (30 to 200 us were seen at each tick of the kernel's clock:
/// at a limit of 30 a loop over two free cores ran on one for half of the time), and shorter than the slices in which a
/// scheduler deals out a core, 700 us and more on Linux.
inline constexpr std::uint64_t away_limit_us = 300;
inline constexpr std::uint64_t longest_shared_us = 128'000;

/// When the last carrier stops counting as shared: a hint that spares the others a look at each one.
AMITY_API extern std::atomic<std::uint64_t> any_shared_until;

inline void some_are_shared_until(std::uint64_t end) noexcept {
  if (any_shared_until.load(std::memory_order_relaxed) < end) any_shared_until.store(end, std::memory_order_relaxed);
}

inline void mark_shared(carrier& c, std::uint64_t now) noexcept {
  if (c.core.while_shared.begin(now, longest_shared_us)) some_are_shared_until(c.core.while_shared.end());
}

[[nodiscard]] inline bool is_shared(const carrier& c, std::uint64_t now) noexcept {
  return c.core.while_shared.covers(now) || is_resting(c.core.turn, now) ||
         c.core.is_spare.load(std::memory_order_relaxed);  // a hint
}

[[nodiscard]] inline bool any_shared(std::uint64_t now) noexcept {
  return now < any_shared_until.load(std::memory_order_relaxed);
}

/// What is known of a CPU.
struct cpu_note {
  /// The carrier that was seen there last. A hint; release and acquire (note_cpu, company_on) for what the carrier was
  /// made of. Carriers are never freed.
  std::atomic<carrier*> last{nullptr};
  doubling_while while_taken;  ///< others use it
};
inline constexpr int most_cpus = 1024;
extern cpu_note cpu_notes[most_cpus];

/// The other carrier that is awake and was seen last on the CPU, or null.
inline carrier* company_on(int cpu, const carrier& c) noexcept {
  if (cpu < 0 || cpu >= most_cpus) return nullptr;
  carrier* const other = cpu_notes[cpu].last.load(std::memory_order_acquire);
  if (other == &c) [[likely]]
    return nullptr;
  bool const is_here = other != nullptr && other->core.cpu.load(std::memory_order_relaxed) == cpu &&
                       other->asleep.load(std::memory_order_relaxed) == 0 &&
                       other->is_there.load(std::memory_order_relaxed);
  return is_here ? other : nullptr;
}

/// Notes where the calling carrier is; says which other one that is awake was seen there last, or null.
inline carrier* note_cpu(carrier& c) noexcept {
  int const cpu = sys::current_cpu();
  if (cpu < 0 || cpu >= most_cpus) return nullptr;
  if (c.core.cpu.load(std::memory_order_relaxed) != cpu) c.core.cpu.store(cpu, std::memory_order_relaxed);
  carrier* const other = company_on(cpu, c);
  std::atomic<carrier*>& last = cpu_notes[cpu].last;
  if (last.load(std::memory_order_relaxed) != &c) last.store(&c, std::memory_order_release);
  return other;
}

/// How long a CPU that others were seen to use counts as used, at most: a helper that moves there stands still for a
/// slice of the kernel's scheduler, some milliseconds.
inline constexpr std::uint64_t longest_taken_us = 1'000'000;

/// How far apart in time two meetings on a CPU are, at least, to be a chance; and two moves.
inline constexpr std::uint64_t soon_again_us = 2'000;

/// A carrier that looked at the clock just now finds that it was away for longer than `away_limit_us`. Unless another
/// carrier used the CPU meanwhile, it is not the process's own: a helper takes turns there (turns.hpp).
void note_absence(carrier& c, std::uint64_t now) noexcept;

/// How often the kernel has taken the CPU from the calling thread for another one; -1: not known.
[[nodiscard]] long preemptions() noexcept;

/// Was the CPU free to which the calling helper moved? The kernel tells whether it has taken the CPU from it since.
void check_move(carrier& c, std::uint64_t now) noexcept;

/// Moves the calling helper's OS thread to a CPU of its mask that is not known to be in use, by confining it to
/// that CPU for a moment; where there is none, to one that none of the process's own uses, to take turns with those who
/// do. False if there is neither, if it is confined already, or if the last try was a moment ago.
///
/// The kernel wakes a thread where it slept unless it sees an idle core elsewhere, and in a virtual machine it doesn't:
/// a core that has gone to sleep looks like one that the host has taken away (`vcpu_is_preempted` of Linux).
bool move_apart(carrier& c, std::uint64_t now) noexcept;

/// Where the kernel does not see idle cores: has the OS thread of the helper `c`, which is to be made with
/// `attributes`, begin on a CPU that seems free, if there is one. Else it is put where its maker is, and waits until
/// that one rests. False: nothing is changed.
bool start_apart(carrier& c, pthread_attr_t& attributes) noexcept;

/// A helper that sleeps where `waker` is, the calling carrier, would begin when that one rests: where the kernel does
/// not see idle cores, it is to wake on a CPU that seems free. True: the caller goes on with steer() if it is the one
/// that takes `asleep` back, and with drop_steering() if it is not.
[[nodiscard]] bool begin_steering(carrier& c, const carrier& waker) noexcept;
void drop_steering(carrier& c) noexcept;
/// Before the wake: has it go on there, if there is such a CPU.
void steer(carrier& c, const carrier& waker) noexcept;

/// Called by a helper that begins, or has slept, before it runs anything: may run again where it might before.
[[gnu::cold, gnu::noinline]] void end_steering(carrier& c) noexcept;
[[nodiscard]] inline bool is_steered(const carrier& c) noexcept {
  return c.core.steered.now.load(std::memory_order_seq_cst) != steering::none;  // pairs with begin_steering
}

/// In the child of a fork: the other carriers are nowhere.
void forget_cpus() noexcept;

/// Called at the first look at the clock in a wait: where it comes long after the last one, a helper may have been
/// stopped meanwhile.
inline void look_back(carrier& c, std::uint64_t now) noexcept {
  bool const is_late = now - c.core.turn.looked_at > sys::ticks_of_microseconds(away_limit_us);
  if (is_late && c.kind == carrier_kind::helper && !takes_turns(c.core.turn)) [[unlikely]]
    if (was_stopped(c, now)) note_absence(c, now);
}

/// Called by a carrier that looks around. Two that meet on a core, both awake, have been put there by the kernel, which
/// may leave it so for long: while one spins for the other, that one can't go on. A helper goes elsewhere; where there
/// is nothing else, or it meets the other again and again, it spins no more. True: it moved, which took a while.
inline bool look_for_company(carrier& c, std::uint64_t now) noexcept {
  weigh_guests_when_due(now);
  if (c.core.switches_at_move >= 0 && now - c.core.moved_at > sys::ticks_of_microseconds(away_limit_us)) [[unlikely]]
    check_move(c, now);
  if (note_cpu(c) == nullptr) [[likely]]
    return false;
  if (move_apart(c, now)) return true;
  if (now - c.core.met_at < sys::ticks_of_microseconds(soon_again_us)) mark_shared(c, now);
  c.core.met_at = now;
  return false;
}

/// Called by a helper that is about to sleep: where it sleeps it will be woken. `others`: all carriers
/// (first_scheduler).
inline void sleep_apart(carrier& c, const carrier* others, std::uint64_t now) noexcept {
  int const cpu = c.core.cpu.load(std::memory_order_relaxed);
  if (cpu < 0) return;
  for (const carrier* v = others; v != nullptr; v = v->next_scheduler) {
    if (v == &c || v->core.cpu.load(std::memory_order_relaxed) != cpu) continue;
    if (v->asleep.load(std::memory_order_relaxed) != 0 || !v->is_there.load(std::memory_order_relaxed)) continue;
    move_apart(c, now);
    return;
  }
}

}  // namespace amity::sched
