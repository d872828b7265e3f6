#pragma once

/// What the loop, the fibers that run tasks and the monitor know of sources of progress (progress.hpp).

#include <cstdint>

#include "amity/sched/loop/progress.hpp"
#include "amity/sched/loop/timer.hpp"

namespace amity::sched {

struct carrier;
struct fiber;

/// Some source is wanted and not armed: no carrier sleeps beside it. seq_cst, after `asleep`: Dekker with
/// announce_progress and with fire (README-progress.md, E2).
[[nodiscard]] bool progress_in_sight() noexcept;

/// On a fiber, before its carrier may go to sleep: arms all that are wanted. False: something has come; it is to be
/// polled first.
[[nodiscard]] bool arm_progress() noexcept;

/// Some source that is wanted has its events from threads that may need the caller's core (`needs_cores`).
[[nodiscard]] bool progress_needs_cores() noexcept;

/// On a fiber that is going to wait, and holds no permit: polls for a moment. True: it has got one meanwhile.
[[nodiscard, gnu::cold, gnu::noinline]] bool poll_before_park(fiber& f) noexcept;

/// `c` is going to sleep, and some source is attended: it is the attendant from now on, unless there is one, and sleeps
/// until an event comes. Before `asleep` is set.
[[nodiscard]] bool begin_to_attend(carrier& c) noexcept;
/// It is awake. The monitor watches until somebody attends again (E4).
void end_attending() noexcept;
/// The attendant's sleep: until wake_attendant, an event, or `due`.
void sleep_for_progress(instant due) noexcept;
/// Ends that sleep, now or when it begins.
void wake_attendant() noexcept;

/// Wakes a carrier that sleeps, the attendant if there is one: it sees that a source is not armed, or attends. False:
/// none sleeps. From any thread.
bool wake_for_progress() noexcept;

/// What the monitor has to know.
struct progress_state {
  bool wanted = false;       ///< some source is
  bool wanted_here = false;  ///< some that is not of the job
  bool armed = true;         ///< all that are wanted are
  bool attended = false;     ///< a carrier sleeps for them
  std::uint64_t polls = 0;
};
[[nodiscard]] progress_state state_of_progress() noexcept;
/// The monitor sleeps for events in place of an attendant, for `ns` at most. True: one has come.
[[nodiscard]] bool watch_progress(long ns) noexcept;

/// As attend, from any thread, also again. Requires: there have been tasks in this process, so that there are fibers
/// that poll.
[[nodiscard]] int attend_without_fiber(progress_source& s) noexcept;

/// The child of a fork has no sources, and nothing in its inbox.
void forget_progress() noexcept;
void forget_inbox() noexcept;

}  // namespace amity::sched
