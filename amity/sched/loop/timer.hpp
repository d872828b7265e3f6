#pragma once

/// Waiting with a deadline: park_until() is park() that also returns when the time has come. The core goes to others
/// meanwhile, and no thread is kept for the clock: a carrier that sleeps anyway sleeps no longer than to the next
/// deadline.
///
///     auto const deadline = sched::instant_after(std::chrono::milliseconds(5));
///     while (!done.load(acquire) && sched::now() < deadline) sched::park_until(deadline);
///
/// As every park, it may return without cause. README-timers.md has the protocol.
///
/// Memory ordering: that of park().

#include <cstdint>
#include <limits>
#include <type_traits>

#include "amity/base/chrono.hpp"
#include "amity/base/config.hpp"

namespace amity::sched {

/// Nanoseconds on CLOCK_MONOTONIC, which is std::chrono::steady_clock.
using instant = std::int64_t;

/// A deadline that does not come.
inline constexpr instant never = std::numeric_limits<instant>::max();

[[nodiscard]] AMITY_API instant now() noexcept;

/// Blocks the fiber, never the core, until it holds a permit, which is consumed, or until `deadline`; neither is told.
AMITY_API void park_until(instant deadline) noexcept;

/// The same for a fiber that waits for something else, and asks now and then whether that may still come: it does not
/// count as somebody who can go on by himself (monitor/standstill.hpp).
AMITY_API void park_to_ask(instant next_question) noexcept;

/// What lies too far ahead to be counted is `never`; what lies behind is now.
template <class Rep, class Period>
[[nodiscard]] instant instant_after(const std::chrono::duration<Rep, Period>& wait) noexcept {
  using seconds = std::chrono::duration<double>;
  constexpr seconds longest{3e9};  // a hundred years
  if (!(seconds(wait) > seconds(0))) return now();
  if (seconds(wait) >= longest) return never;
  return now() + std::chrono::ceil<std::chrono::nanoseconds>(wait).count();
}

/// What `time` is on our clock, as far as that is known now: a clock that is set meanwhile makes it another one.
template <class Clock, class Duration>
[[nodiscard]] instant instant_of(const std::chrono::time_point<Clock, Duration>& time) {
  auto const here = Clock::now();
  // Compared first: the difference to a time long ago can't be counted.
  return time > here ? instant_after(time - here) : now();
}

/// Calls `wait(deadline)`, which says whether it got what it waits for, until it did or until it is `time` by that
/// time's own clock, which may be set meanwhile. True if it did.
template <class Clock, class Duration, class Wait>
bool wait_by_clock(const std::chrono::time_point<Clock, Duration>& time, Wait&& wait) {
  for (;;) {
    if (wait(instant_of(time))) return true;
    if (Clock::now() >= time) return false;
  }
}

}  // namespace amity::sched
