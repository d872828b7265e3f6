#pragma once

/// Whether somebody watches over the carriers: the state of the monitor's OS thread (monitor/), and how others call
/// for it.
///
/// The monitor is needed where fibers may come to wait for a carrier that is busy with user code: a team larger than
/// its carriers, a wake that was left out, a permit for a fiber whose carrier runs another one. It is never there
/// before the first call, and rests after a while in which no fiber was ready.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::sched {

enum monitor_state : std::uint32_t {
  absent,
  watching,  ///< it looks now and then, or is about to begin
  resting,   ///< it sleeps on this word
  owed,      ///< absent, and somebody wanted it who could not make a thread
};
/// Futex word.
///
/// * From `absent` to `owed`: a carrier in its loop, which can't make the thread (ask_for_monitor).
/// * From `absent` or `owed` to `watching`: the thread that makes the monitor's. If the system refuses that, the same
///   thread goes on from `watching` to `absent`.
/// * From `watching` to `resting`: the monitor, which has found nothing to do.
/// * From `resting` to `watching`: the thread that wakes the monitor, or the monitor itself after its rest.
/// * From any to `absent`: a fork, in the child.
extern std::atomic<std::uint32_t> monitor;

/// Calls for the monitor. Cheap while it watches. The first call makes its thread, for which the caller needs an
/// identity: not in a carrier's loop.
AMITY_API void arm_monitor() noexcept;

/// The same in a carrier's loop. Where there is no monitor yet, it is owed: the next carrier that goes to run a fiber
/// makes it, or the caller before it sleeps.
void ask_for_monitor() noexcept;
/// A hint, relaxed: the carrier that asked looks again itself.
[[nodiscard]] bool monitor_is_owed() noexcept;

/// Makes the monitor if there is none. False: the system refuses its thread, and fibers that share a carrier must not
/// count on getting on while user code keeps it.
[[nodiscard]] AMITY_API bool ensure_monitor() noexcept;

/// What happens once nothing in the process can go on any more, by AMITY_STALL: nothing (false), a report (true), or a
/// report and the process's end by SIGABRT (abort), for those who would rather see a test fail than wait for its limit.
/// Written when the pool starts.
enum class stall_answer : std::uint8_t { silence, report, abort };
extern stall_answer at_stall;

/// A fiber that waits for something that may never come calls this: the monitor finds out when nothing can go on, and
/// says what everybody waits for. Makes the monitor unless AMITY_STALL=false.
AMITY_API void watch_for_stalls() noexcept;
/// The same for waits that are short and many: no thread is made for those, unless AMITY_STALL=abort asks that every
/// standstill be found.
AMITY_API void watch_for_stalls_of_mutexes() noexcept;

/// The kernel's number for the monitor's thread; 0: there is none, or it has not begun. Relaxed: it is for reports and
/// counts.
[[nodiscard]] int monitor_thread() noexcept;
void note_monitor_thread(int thread) noexcept;

/// The child of a fork has no monitor thread.
void forget_monitor() noexcept;

}  // namespace amity::sched
