#pragma once

/// Noticing that a core is not one's own.
///
/// A thread that spins looks at the clock every few hundred cycles; a gap of more than `away_limit` means that the
/// kernel (or the hypervisor) ran something else there. From then on the carrier counts as *shared* for a while: it
/// does not spin, others take its ready fibers without delay, and short waits do not wake it. When the while is over it
/// is tried again. The first while is short, so that a chance preemption costs next to nothing; each one that follows
/// soon after another is twice as long, so that on a core that really is shared the trials cost next to nothing.

#include <cstdint>

#include "amity/sched/carrier.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/current_cpu.hpp"

namespace amity::sched {

/// Longer than an interrupt takes, on a virtual machine too (30 to 200 us were seen at each tick of the kernel's clock:
/// at a limit of 30 a loop over two free cores ran on one for half of the time), and shorter than the slices in which a
/// scheduler deals out a core, 700 us and more on Linux.
inline constexpr std::uint64_t away_limit_us = 300;
inline constexpr std::uint64_t first_window_us = 2'000;
inline constexpr std::uint64_t last_window_us = 128'000;

/// When the last carrier stops counting as shared: a hint that spares the others a look at each one.
AMITY_API extern std::atomic<std::uint64_t> any_shared_until;

/// The carrier's own thread only.
inline void mark_shared(carrier& c, std::uint64_t now) noexcept {
  std::uint64_t const before = c.shared_until.load(std::memory_order_relaxed);
  if (now < before) return;
  bool const soon_again = before != 0 && now - before < c.shared_window * 4;
  std::uint64_t const longest = sys::ticks_of_microseconds(last_window_us);
  c.shared_window = soon_again ? c.shared_window * 2 : sys::ticks_of_microseconds(first_window_us);
  if (c.shared_window > longest) c.shared_window = longest;
  c.shared_until.store(now + c.shared_window, std::memory_order_relaxed);
  if (any_shared_until.load(std::memory_order_relaxed) < now + c.shared_window)
    any_shared_until.store(now + c.shared_window, std::memory_order_relaxed);
}

[[nodiscard]] inline bool is_shared(const carrier& c, std::uint64_t now) noexcept {
  return now < c.shared_until.load(std::memory_order_relaxed);
}

[[nodiscard]] inline bool any_shared(std::uint64_t now) noexcept {
  return now < any_shared_until.load(std::memory_order_relaxed);
}

/// Which carrier was seen last on a CPU. A hint: carriers are never freed, and what is read of them is relaxed. Release
/// and acquire, for what the carrier was made of.
inline constexpr int most_cpus = 1024;
AMITY_API extern std::atomic<carrier*> seen_on[most_cpus];

/// Notes where the calling carrier is; says which other one that is awake was seen there last, or null.
inline carrier* note_cpu(carrier& c) noexcept {
  int const cpu = sys::current_cpu();
  if (cpu < 0 || cpu >= most_cpus) return nullptr;
  if (c.cpu.load(std::memory_order_relaxed) != cpu) c.cpu.store(cpu, std::memory_order_relaxed);
  carrier* const other = seen_on[cpu].load(std::memory_order_acquire);
  if (other == &c) [[likely]]
    return nullptr;
  seen_on[cpu].store(&c, std::memory_order_release);
  bool const is_here = other != nullptr && other->cpu.load(std::memory_order_relaxed) == cpu &&
                       other->asleep.load(std::memory_order_relaxed) == 0 &&
                       other->is_there.load(std::memory_order_relaxed);
  return is_here ? other : nullptr;
}

/// Called by a carrier that looks around. Two that meet on a core again and again, both awake, have been put there by
/// the kernel, which may leave it so for long: while one spins for the other, that one can't go on.
inline void look_for_company(carrier& c, std::uint64_t now) noexcept {
  if (note_cpu(c) == nullptr) [[likely]]
    return;
  if (now - c.met_at < sys::ticks_of_microseconds(first_window_us)) mark_shared(c, now);
  c.met_at = now;
}

}  // namespace amity::sched
