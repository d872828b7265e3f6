#pragma once

/// A system call of the program's that the runtime's own signal has cut short, and how it goes on.
///
/// The kernel restarts many calls by itself, but not those that signal(7) lists: sleeps, poll and its like, semaphores
/// and queues of System V, sockets with a time limit. They return EINTR, though no signal of the program's has come. So
/// the handler makes the call again, on whichever OS thread the fiber is by then, for the time that is left.
///
/// For that it must know three things that stand in no register behind the call: its number, its first argument (on
/// aarch64), and when it began. The monitor sees the first two before it sends the signal (sys::call_note). When a call
/// with a time limit began is noted by the functions of program_calls.cpp; for calls that do not pass there, it is when
/// the monitor first saw the thread in it, which may make the wait longer, and never shorter.

#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <cstdint>

#include "amity/sched/fiber/fiber.hpp"
#include "amity/sys/call_note.hpp"
#include "amity/sys/thread_activity.hpp"

namespace amity::sched {

/// A call that has just been cut short in the context that a signal interrupted.
class interrupted_call {
 public:
  /// `since_ns`: when a call with a time limit began, 0 if that is not known. `bare_call`: what syscall(2) was asked
  /// for, -1 if the call was not made there. Call it before anything else in the handler.
  interrupted_call(const ucontext_t& context, const sys::call_note::content& note, std::uint64_t since_ns,
                   long bare_call) noexcept;

  /// The context stands behind a call that a signal has ended early, and it can be gone on with.
  [[nodiscard]] explicit operator bool() const noexcept { return call_.number >= 0; }

  /// Goes on with the call and waits for its end, unless a signal of the program's has come since `counts.taken` was
  /// `taken`: then it comes to EINTR. Where the runtime's own signal interrupts it, the call goes on once more. What
  /// the call comes to, as the kernel would have returned it. Blocks as the call does.
  [[nodiscard]] long finish(const signal_counts& counts, unsigned taken) noexcept;

  /// Puts the result where the interrupted code looks for it.
  static void set_result(ucontext_t& context, long result) noexcept;

 private:
  void find_limit() noexcept;
  void skip(long bytes) noexcept;  ///< that many have been transferred
  [[nodiscard]] long once_more(const signal_counts& counts, unsigned taken) noexcept;
  [[nodiscard]] long wait_for_socket(const signal_counts& counts, unsigned taken) noexcept;

  /// How the call says how long it may take at most.
  enum class limit : std::uint8_t { none, milliseconds, duration, of_socket };

  sys::kernel_call call_;
  std::uint64_t since_ns_ = 0;
  long done_ = 0;  ///< bytes that it had transferred when it was cut short
  limit limit_ = limit::none;
  int limit_at_ = 0;          ///< the argument
  std::uint64_t end_ns_ = 0;  ///< sys::monotonic_ns(), if there is a limit
};

/// The handler has seen to the call that `context` stands behind, if it does: it is not to be taken for one that has
/// been interrupted once more.
void leave_call(ucontext_t& context) noexcept;

/// A signal of the program's has come while `context` was interrupted. A call that it was about to make in the
/// program's stead comes to EINTR, as if the signal had ended it. So does one that the kernel is about to begin again,
/// unless the handler is one that asks for that (`restarts`).
void abandon_call(ucontext_t& context, bool restarts) noexcept;

enum class handler_kind : std::uint8_t { none, restarts_calls, ends_calls };
/// Of the program's handler for a signal.
[[nodiscard]] handler_kind handler_of(int signal) noexcept;

/// A signal with a handler of the program's is about to come to the calling OS thread when it goes back to
/// `context`: that one has ended the call as well. To be asked in a handler that blocks all signals.
[[nodiscard]] bool program_signal_is_due(const ucontext_t& context) noexcept;

}  // namespace amity::sched
