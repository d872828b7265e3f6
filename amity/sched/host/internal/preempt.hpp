#pragma once

/// A signal to an OS thread that runs user code which does not return to the scheduler.
///
/// A guest that waits runs other fibers on top of its own. One of them may spin on a flag that only the guest's own
/// fiber can set, or wait in the kernel. The fiber can go on anywhere, the guest only on its own OS thread, so the
/// fiber has to leave: the monitor sends the thread a signal, whose handler gives way. The frame of the handler travels
/// with the fiber and returns on the thread that continues it: the thread pointer is no part of it, and the signal mask
/// is not changed by the handler. A call that the signal has cut short goes on in the handler (interrupted_call.hpp).
///
/// The same signal has a thread take the signals of the program that wait for the fiber (program_signals.hpp).

#include <csignal>

#include "amity/sched/fiber/carrier.hpp"

namespace amity::sched {

/// Ignored by default, hardly used, and what other runtimes take for this (Go).
inline constexpr int preemption_signal = SIGURG;

/// Sends the signal. False: the program uses it itself, or the thread is gone.
bool interrupt(carrier& c) noexcept;

/// The calling fiber has just taken signals, and the kernel's frames of their handlers lie below its stack. A later
/// look must not find them there, in a frame with room that nobody has written, and take them for handlers at work.
[[gnu::noinline]] void forget_past_handlers() noexcept;

}  // namespace amity::sched
