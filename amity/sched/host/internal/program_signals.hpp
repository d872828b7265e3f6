#pragma once

/// Signals that the program sends to one of its threads (pthread_kill), if that thread is a fiber.
///
/// The kernel knows OS threads alone. A fiber may be on another one than its own, or on none, so the call is led to a
/// function of ours (program_calls.cpp), which leaves the signal with the fiber and sees to it that the fiber takes it
/// soon: on the OS thread that carries the fiber if it runs, otherwise as soon as it has been resumed for that. Only
/// then does the kernel get the signal, for that OS thread, and runs the program's handler with the fiber's identity.
///
/// * A fiber that runs: its OS thread gets the runtime's signal, whose handler raises the program's (preempt.cpp). A
///   call that it has interrupted then ends as if the program's signal had come itself.
/// * A fiber that keeps the runtime's signal out, as in a handler that blocks all signals: its OS thread gets the
///   program's signal itself. The fiber does not leave that OS thread meanwhile.
/// * A fiber that is parked gets a permit and is sent to a free OS thread. It takes its signals first thing when it is
///   back (switch_away, wait_as_guest), and parks again: every wait of the runtime's is a loop.
/// * A fiber of the shell pool is sent round, to an OS thread that is free.
/// * No handler begins in the midst of the runtime's code, and no handler of another fiber on the OS thread of a guest:
///   it may last until all threads have answered theirs, and some could not (README.md).
///
/// A fiber may park just after the sender has seen it run. So the sender sets the flag, makes all threads pass a
/// barrier, and looks at the fiber; the fiber's carrier clears the claim and looks at the flag (land). One of the two
/// sees the other. A guest that waits is found by the handler of the runtime's signal, on its OS thread. If nothing of
/// that works, because an OS thread does not come to its fiber, the monitor tries again at its next look.
///
/// In the mode `fixed` every fiber is on its own OS thread, and the kernel does it all.

#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/loop/upcalls.hpp"

namespace amity::sched {

/// The calling OS thread carries `f`, and is neither in its loop nor about to leave it. For signal handlers.
[[nodiscard]] bool runs_here(const fiber& f) noexcept;

/// If signals wait for the guest that the calling fiber stands on, the guest gets a permit, for which the caller is to
/// give way: true. If the calling fiber is that guest and waits in its loop, the permit ends the wait, asleep or not.
/// For signal handlers.
bool hurry_guest_with_signals(const fiber& f) noexcept;

/// The monitor's: tries once more for all fibers for which signals wait. True: some still do.
[[nodiscard]] bool look_after_signals() noexcept;

/// As pthread_kill(3).
int kill_of_program(pthread_t thread, int signal) noexcept;

}  // namespace amity::sched
