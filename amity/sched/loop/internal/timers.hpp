#pragma once

/// The watch of the clock for fibers that wait with a deadline. One OS thread that sleeps is the *keeper*: it
/// sleeps no longer than to the first deadline. If all of them have better to do, the rescue monitor watches.
/// README-timers.md has the rules, W1 to W4.

#include <atomic>

#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/loop/internal/deadline_heap.hpp"

namespace amity::sched {

/// The first deadline of all; `never`: nobody waits with one. Written under the timers' lock.
extern std::atomic<instant> first_deadline;

/// Fibers whose wait ends with a deadline, those left out that only ask. Written under the timers' lock; relaxed, for
/// the monitor.
[[nodiscard]] int waits_with_deadline() noexcept;

/// The carrier that sleeps no longer than to that; null: none. Written under the timers' lock.
extern std::atomic<carrier*> timer_keeper;

/// Adds `t`, whose fiber runs and is about to go to its carrier's loop. No other carrier's, until it is there: the
/// caller looks for the carrier afterwards.
void add_timer(timer& t) noexcept;

/// Takes it out, if it has not come.
void drop_timer(timer& t) noexcept;

/// Sleeps on `c.asleep`, which is 1; if `c` is the keeper or becomes it, gives the permits that are due.
void sleep_beside_timers(carrier& c) noexcept;

/// `c` is the keeper and goes to run a fiber: finds another one.
void resign_as_keeper(carrier& c) noexcept;

/// The monitor's: the time in nanoseconds to what it watches for, at most `most`.
[[nodiscard]] long time_to_watch(long most) noexcept;
/// Gives the permits that are due, if it watches.
void fire_as_monitor() noexcept;

/// The child of a fork has none.
void forget_timers() noexcept;

}  // namespace amity::sched
