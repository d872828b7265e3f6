#pragma once

/// A shell: an OS thread with its stack and identity, and the fiber that lives on them. Helpers are shells with a
/// slot.
///
/// The object is for ever, because thieves and late wakers may look at it at any time. Its OS thread may be ended,
/// which runs what hangs on the identity (destructors of thread_local objects and of pthread keys), and another one
/// started in its place.

#include <cstdint>

#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sys/stack.hpp"

namespace amity::sched {

struct shell {
  fiber own;
  carrier kernel_thread;
  sys::stack stack;
  unsigned number = 0;  ///< in its OS thread's name
};

/// Requires: `f` was made with a shell.
[[nodiscard]] inline shell& shell_of(fiber& f) noexcept { return reinterpret_cast<shell&>(f); }

/// Gives the shell an OS thread. Says what the system refuses, if it does: then the shell is as before. Under the
/// pool's lock; the shell has no OS thread.
[[nodiscard]] refusal start_shell(shell& s) noexcept;

/// Ends the shell's OS thread, waits for that and gives its stacks back. Its fiber has no seat and is not in the
/// pool's list; its last work may be about to return. False if the OS thread is busy with another fiber at
/// `deadline` (sys::ticks()): then it stays as it was.
[[nodiscard]] bool end_shell(shell& s, std::uint64_t deadline) noexcept;

/// For a thread that waits for another OS thread's next few steps.
void rest_a_moment() noexcept;

}  // namespace amity::sched
