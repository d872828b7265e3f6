#pragma once

/// What a helper does that takes turns with others for its core (idle/turns.hpp says why), and the time after a rescue,
/// in which nobody takes turns.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/idle/turns.hpp"

namespace amity::sched {

struct carrier;

/// The calling helper has just got back a core that somebody else has used.
void begin_turn(carrier& c, std::uint64_t now) noexcept;

/// Until then, in ticks, more OS threads of the process's own may run than it has carriers: the monitor has sent
/// fibers to theirs (stuck_fibers.cpp). What stops a helper then is one of those, and waits for what the helper runs.
/// Relaxed: a hint.
AMITY_API extern std::atomic<std::uint64_t> own_threads_until;

void note_own_threads(std::uint64_t now) noexcept;

/// Has the kernel stopped the calling helper for long, a moment ago, in the midst of its work? The waits alone would
/// not tell. (A look at what happened since it was asked last. Short stops are no sign: the monitor's looks are such.)
[[nodiscard]] bool was_stopped(carrier& c, std::uint64_t now) noexcept;

/// Called by a helper in its loop, when its turn is over: sleeps for a moment, and begins the next one if there is
/// reason to.
void rest(carrier& c) noexcept;

/// Called by a helper that takes turns and found nothing to do for a while: it is about to sleep until somebody wakes
/// it.
void end_turns_if_vain(carrier& c, std::uint64_t now) noexcept;

}  // namespace amity::sched
