#pragma once

/// Yields of a thread that waits for another one, as long as they are short. Beside programs that compute, a yield
/// returns when each of them has had its time slice, 10 ms for three on two cores. A thread that sleeps gets a core as
/// soon as it is woken. So after a long yield it is better to sleep, for a while (decision 39).
///
///     if (yields_are_short(now)) yield_once(now); else ...  // sleep

#include <cstdint>

#include "amity/sched/idle/doubling_while.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/raw_syscall.hpp"

namespace amity::sched {

namespace detail {
inline doubling_while while_yields_take_long;
}

[[nodiscard]] inline bool yields_are_short(std::uint64_t now) noexcept {
  return !detail::while_yields_take_long.covers(now);
}

/// Gives the core away once, and notes how long that took since `now`. The time after it, in ticks.
inline std::uint64_t yield_once(std::uint64_t now) noexcept {
  constexpr std::uint64_t long_us = 300, longest_us = 1'000'000;
  sys::raw_syscall(SYS_sched_yield);
  std::uint64_t const after = sys::ticks();
  if (after - now > sys::ticks_of_microseconds(long_us))
    static_cast<void>(detail::while_yields_take_long.begin(after, longest_us));
  return after;
}

}  // namespace amity::sched
