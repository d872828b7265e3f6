#pragma once

/// Waiting and waking: park() gives the core away until a permit comes, unpark() gives the permit.
///
/// A permit is one bit: two unparks before a park count once, an unpark before the park makes the park return at once,
/// and a park may return without cause. So every wait is a loop around its own condition:
///
///     waiters.push(self()); while (!done.load(acquire)) park();
///
/// Memory ordering: what happened before unpark(f) happens before the return of the park() that consumed its permit.

#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/fiber/ready_group.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {

/// The calling thread's fiber; makes the thread a guest at its first call.
[[nodiscard]] AMITY_API fiber* self() noexcept;

/// Blocks the fiber, never the core, until it holds a permit, and consumes it.
AMITY_API void park() noexcept;

/// The same for a caller that knows its own fiber. Requires: `own` is the caller's.
AMITY_API void park(fiber& own) noexcept;

/// Lets other ready fibers of this carrier run, then comes back.
AMITY_API void yield() noexcept;

/// For a fiber that does one piece of work after the other without a switch, between two: tasks while it waits, the
/// chunks of a loop. Its carrier has not stood still, so the monitor leaves the fibers alone that are ready there;
/// where it says that they have waited for long, they run first. Requires: `own` is the caller's. Afterwards, look at
/// the condition again before park().
AMITY_API void between_steps(fiber& own) noexcept;

/// The same as yield(), and afterwards one queued task runs, on another fiber in this one's place: a fiber that yields
/// in a loop may wait for what only a task can bring. Not where a policy keeps the tasks, and not in the mode `fixed`.
AMITY_API void yield_to_tasks() noexcept;

/// Calls of sched_yield(2) by those objects of the process that need a library of which `concerns` says true do the
/// same from now on; where there is no such fiber, they ask the kernel, as ever.
AMITY_API void take_over_yields(bool (*concerns)(const char* needed)) noexcept;

/// Another fiber that belongs on `c` could go on: the guest's own, or one that is at home there.
[[nodiscard]] bool others_ready(const carrier& c) noexcept;

/// If the running fiber stands on the stack of a guest whose wait is over, the guest goes on first. It can run here
/// alone, while the caller may be continued elsewhere. For a fiber that has just released others, and for the signal
/// handler that interrupts user code to this end (preempt.cpp).
AMITY_API void give_way() noexcept;

/// The same where the running fiber's own carrier has a core for it; else it stays, and saves a switch: the guest would
/// run it next. For a member that has released its team, and computes from here on.
AMITY_API void give_way_if_home_is_free() noexcept;

/// Ticks: until then, a fiber that releases the guest that it runs on top of should give way to it, because the
/// monitor had to free one not long ago: the program's code waits for its first thread by itself. 0: it never had to.
/// Relaxed: it decides about an order that the program may not count on.
AMITY_API extern std::atomic<std::uint64_t> guests_first_until;

[[nodiscard]] inline bool guests_go_first() noexcept {
  std::uint64_t const until = guests_first_until.load(std::memory_order_relaxed);
  return until != 0 && sys::ticks() < until;
}
/// The monitor has freed a guest at `now`.
void let_guests_go_first(std::uint64_t now) noexcept;

/// How urgently a sleeping home carrier is to be told of a new permit.
enum class wake : std::uint8_t {
  now,
  /// Not if its core is used by others too: the caller will soon wait itself, and then run what nobody took.
  unless_shared,
  /// The same, and the caller arms the monitor (monitor_state.hpp) afterwards, in case somebody is buried.
  crowd,
  /// At once; and the caller parks before it runs any user code, so that it buries no fiber beneath it for long.
  then_parks,
};

/// Gives `f` a permit. `f` may have ended its wait meanwhile; then it will return from a later park without cause.
AMITY_API void unpark(fiber* f, wake how = wake::now) noexcept;

/// Gives permits to all fibers of `mask`. One store for all of them.
AMITY_API void unpark(ready_group& group, std::uint64_t mask, wake how) noexcept;

}  // namespace amity::sched
