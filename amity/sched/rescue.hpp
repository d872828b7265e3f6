#pragma once

/// The rescue monitor: user code may spin on a flag, hold a pthread mutex across a wait or block in the kernel while
/// other fibers of its carrier are ready. Plain threads would make progress there, so fibers must: a fiber that was
/// ready through two looks of the monitor while its home carrier saw no scheduling event, though it had a core or
/// blocks in the kernel, is sent to its own kernel thread. A carrier that runs task after task, or chunk after chunk of
/// a loop, does see events; who is ready there gets its turn between two (between_steps, park.hpp).

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {

struct carrier;
struct ready_group;

/// Says that fibers may come to wait for a carrier that is busy: a team larger than its carriers, a wake left out, or a
/// permit for a fiber whose carrier runs another one.
/// Cheap when the monitor is awake; it goes to sleep by itself after a while without ready fibers, and never runs
/// before the first call. That one starts a thread, which needs an identity: not in a carrier's loop.
AMITY_API void arm_rescue() noexcept;

/// The same in a carrier's loop: where there is no monitor yet, it is owed, and the next one who goes to run a fiber
/// starts it, or the caller before it sleeps.
void ask_for_rescue() noexcept;
/// A hint, relaxed: who asked looks again itself.
[[nodiscard]] bool rescue_is_owed() noexcept;

/// Whether somebody can be rescued at all; starts the monitor to find out. False: the system refuses its thread, and
/// fibers that share a carrier must not count on getting on while user code keeps it.
[[nodiscard]] AMITY_API bool can_rescue() noexcept;

/// Who waits for something that may never come calls this: once nothing in the process can go on any more, the monitor
/// says what everybody waits for (internal/report.hpp). Starts the monitor unless AMITY_STALL=false.
AMITY_API void watch_for_stalls() noexcept;
/// The same for waits that are short and many: no thread is started for those, unless AMITY_STALL=abort asks that every
/// standstill be found.
AMITY_API void watch_for_stalls_of_mutexes() noexcept;

/// Ticks: until then, who releases the guest that it runs on top of should give way to it (park.hpp), because the
/// monitor had to free one not long ago: the program's code waits for its first thread by itself. 0: it never had to.
/// Relaxed: it decides about an order that the program may not count on.
AMITY_API extern std::atomic<std::uint64_t> guests_first_until;

[[nodiscard]] inline bool guests_go_first() noexcept {
  std::uint64_t const until = guests_first_until.load(std::memory_order_relaxed);
  return until != 0 && sys::ticks() < until;
}

/// Says that the library around `address` is runtime code: a fiber is never taken off its kernel thread in the middle
/// of it (internal/preempt.hpp). For the layers above that live in a library of their own; before their first fiber
/// waits.
AMITY_API void mark_runtime_code(const void* address) noexcept;

/// The kernel's number for the monitor's thread; 0: there is none, or it has not begun.
[[nodiscard]] int monitor_thread() noexcept;

/// Sends those of the members of `g` that hold a permit, and that nobody runs, to their own kernel threads. `waker`:
/// the calling carrier, or null. How many were sent.
unsigned send_to_own_threads(ready_group& g, std::uint64_t members, carrier* waker) noexcept;

/// The child of a fork has no monitor thread.
void forget_rescue() noexcept;

}  // namespace amity::sched
