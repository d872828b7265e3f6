#pragma once

/// What it costs to wake an OS thread that sleeps, measured at each time that one is woken: some 5 us on a machine
/// of one's own, and up to 300 us where a core that has gone to sleep is a virtual machine's and the hypervisor has to
/// be asked. It decides how long to spin: somebody who is about to sleep, and to be woken, may as well spin for as long
/// as that takes, and at worst has used twice the time that was needed (Karlin, Manasse, McGeoch, Owicki: "Competitive
/// randomized algorithms for nonuniform problems", 1990).

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "amity/sys/clock.hpp"

namespace amity::sched {

/// Beyond this a core is worth more than the wait.
inline constexpr std::uint64_t most_wake_cost_us = 500;

/// Ticks, for the one who wakes; the one who is woken begins about as much later. The median of the last wakes, nearly:
/// it goes up or down by an eighth at each, since one that met an interrupt, or a woken thread which ran on the same
/// core, took ten times as long. Relaxed throughout: an estimate, from which racing writers may lose a sample.
extern std::atomic<std::uint64_t> wake_cost;

inline void note_wake(std::uint64_t ticks) noexcept {
  std::uint64_t const before = wake_cost.load(std::memory_order_relaxed);
  std::uint64_t const step = before / 8 + sys::ticks_of_microseconds(1);
  std::uint64_t const most = sys::ticks_of_microseconds(most_wake_cost_us);
  std::uint64_t const after = ticks > before ? before + step : before > step ? before - step : 0;
  wake_cost.store(std::min(after, most), std::memory_order_relaxed);
}

/// How long it is worth to wait awake for something that is expected, in ticks, where `least_us` is in any case.
[[nodiscard]] inline std::uint64_t worth_waiting(std::uint64_t least_us) noexcept {
  return std::max(sys::ticks_of_microseconds(least_us), 2 * wake_cost.load(std::memory_order_relaxed));
}

/// The same for a carrier that has nothing to expect, and just looks around: a program that needs it now and then must
/// not pay much more for that than for the wakes.
[[nodiscard]] inline std::uint64_t worth_looking(std::uint64_t least_us) noexcept {
  constexpr std::uint64_t most_us = 100;
  std::uint64_t const cost = wake_cost.load(std::memory_order_relaxed) / 2;
  return std::max(sys::ticks_of_microseconds(least_us), std::min(cost, sys::ticks_of_microseconds(most_us)));
}

}  // namespace amity::sched
