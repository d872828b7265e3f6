#pragma once

/// Sources of progress: what has to be driven from outside the scheduler, as a network library or a queue of
/// completions. Idle workers poll them, and one that sleeps is woken by their file descriptors.
///
///     constinit progress_source net{.poll = poll_net, .wanted = net_is_busy, .arm = arm_net, .fd = -1};
///     net.fd = event_fd_of_library;
///     if (int const error = attend(net)) ...                 // the system refuses
///     ...
///     dismiss(net);
///
/// The loop of a carrier has no TLS, so no library can be called there: all three functions run on fibers, one at a
/// time for all sources. README-progress.md has the protocol, E1 to E5.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::sched {

/// Lives as long as the process: carriers may look at it at any time. What is written by its owner is written before
/// attend().
struct progress_source {
  /// Takes what has come: completes states, queues tasks. It is bounded, never parks, and runs no code of the user's.
  /// How much it took.
  int (*poll)(progress_source&) noexcept = nullptr;
  /// Something may come. False: nobody polls it or sleeps for it, until stir(). Called anywhere, also without TLS.
  bool (*wanted)(const progress_source&) noexcept = nullptr;
  /// From now on the next event makes `fd` readable, or is announced (announce_progress). False: there is something
  /// already. Null: `fd` is readable as long as there is something.
  bool (*arm)(progress_source&) noexcept = nullptr;
  int fd = -1;          ///< -1: its events are announced, or looked for
  unsigned nap_us = 0;  ///< with neither: how long a carrier may sleep beside it; 0: they are announced
  /// Its events come from other processes of the job, which say themselves whether any may come (standstill.hpp).
  bool is_of_job = false;
  /// What it waits for is done by threads of this machine, which may need the core of whoever polls: a poll in vain is
  /// followed by a yield. Relaxed: a hint, which may come later than attend().
  std::atomic<bool> needs_cores{false};

  // --- the loop's own (progress.cpp)
  std::atomic<bool> armed{false};  ///< its next event is told; E1
  std::atomic<progress_source*> next{nullptr};
  std::atomic<bool> is_attended{false};  ///< written under the lock of those who poll
};

/// From now on the source is polled and watched. Called on a fiber; makes the caller one that has tasks, and the
/// monitor. 0, or the system's error, and then nothing has changed.
[[nodiscard]] AMITY_API int attend(progress_source& s) noexcept;

/// Not any more: when it returns, none of its functions runs or will be called, but `wanted` may still be. Called on a
/// fiber, not from within `poll`.
AMITY_API void dismiss(progress_source& s) noexcept;

/// A source that was not wanted is wanted from now on. From any thread; not in a carrier's loop.
AMITY_API void stir(progress_source& s) noexcept;

/// The same, by a fiber that is about to park, and so to poll: nobody else is woken.
AMITY_API void stir_here(progress_source& s) noexcept;

/// A source without descriptor has something. From any thread, one without an identity of Amity's too; not in a
/// carrier's loop. What happened before happens before the poll that it leads to.
AMITY_API void announce_progress(progress_source& s) noexcept;

/// Polls all sources that are wanted, unless another thread does. What was taken. Called on a fiber.
AMITY_API int poll_progress() noexcept;
/// The calling fiber is in the midst of a poll. It must not park: nothing would come until it went on.
[[nodiscard]] AMITY_API bool is_polling() noexcept;

/// Some source is attended. Relaxed: a hint, which costs those that have none a load.
AMITY_API extern std::atomic<progress_source*> first_progress_source;
[[nodiscard]] inline bool some_progress() noexcept {
  return first_progress_source.load(std::memory_order_relaxed) != nullptr;
}

}  // namespace amity::sched
