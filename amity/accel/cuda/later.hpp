#pragma once

/// Calls of the driver that may wait for its device, from where nobody may wait: what an operation has needed goes when
/// a poll notes its end (W1).

#include "amity/accel/cuda/functions.hpp"

namespace amity::accel::cuda {

/// A task calls `call(what)` with `context` as the thread's. Any thread.
void later(context_handle context, void (*call)(void* what) noexcept, void* what) noexcept;

/// All that was put off is done when it returns: memory may be short. Blocks. Requires: no lock of Amity's is held.
void do_what_was_put_off() noexcept;

}  // namespace amity::accel::cuda
