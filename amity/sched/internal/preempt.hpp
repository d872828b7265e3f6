#pragma once

/// Taking a kernel thread back from user code that does not return to the scheduler.
///
/// A guest that waits runs other fibers on top of its own. One of them may spin on a flag that only the guest's own
/// fiber can set. The fiber can go on anywhere, the guest only on its own kernel thread, so the fiber has to leave: the
/// monitor sends the thread a signal, whose handler gives way. The frame of the handler travels with the fiber and
/// returns on the thread that continues it: the thread pointer is no part of it, and the signal mask is not changed by
/// the handler.

#include "amity/sched/carrier.hpp"

namespace amity::sched {

/// Sends the signal. Does nothing if the program uses that signal (SIGURG) itself, or blocks it.
void preempt(carrier& guest) noexcept;

}  // namespace amity::sched
