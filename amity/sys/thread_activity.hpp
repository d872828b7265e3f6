#pragma once

/// What another OS thread of this process has been doing, as the kernel sees it.
///
///     std::uint64_t const before = cpu_time_ns(tid);
///     ...
///     if (cpu_time_ns(tid) - before > 1'000'000) ...   // it ran for a millisecond
///     else if (is_blocked(tid)) ...                     // it waits in the kernel; else it waits for a core
///     queue_time_ns(tid)                                // for how long it has so far
///     slices(tid)                                       // how often it got one
///     involuntary_switches(tid)                         // how often it left one and could have gone on
///     kernel_call call;
///     if (reads_call(tid, call)) ...                    // it waits in the system call `call.number`
///
/// No TLS, errno or memory is touched.

#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::sys {

/// Not known: there is no such thread, or the system doesn't say.
inline constexpr std::uint64_t unknown_time = ~std::uint64_t{0};

/// The time that the thread has been on a core.
[[nodiscard]] AMITY_API std::uint64_t cpu_time_ns(int thread_id) noexcept;

/// The time that the thread has waited for a core, up to the last time that it got one. It comes from a file of the
/// kernel's: some microseconds.
[[nodiscard]] AMITY_API std::uint64_t queue_time_ns(int thread_id) noexcept;

/// How often the thread was given a core. From the same file.
[[nodiscard]] AMITY_API std::uint64_t slices(int thread_id) noexcept;

/// How often the thread left its core for another one though it could have gone on: the kernel took it, or it yielded.
/// Not counted: when it had to wait in the kernel. Some ten microseconds.
[[nodiscard]] AMITY_API std::uint64_t involuntary_switches(int thread_id) noexcept;

/// It sleeps in the kernel until somebody wakes it, or was stopped: a core would not help it. False where that is not
/// known, and where it waits for the kernel itself ("uninterruptible": a page from the disk, a lock that another thread
/// holds, who may be short of a core): nothing that the program does ends that.
[[nodiscard]] AMITY_API bool is_blocked(int thread_id) noexcept;

/// A system call that a thread is in.
struct kernel_call {
  long number = -1;
  long arguments[6] = {};
  std::uintptr_t stack = 0;  ///< the thread's stack pointer
  std::uintptr_t next = 0;   ///< the address of the instruction behind the call
  [[nodiscard]] bool operator==(const kernel_call&) const noexcept = default;
};

/// The call in which the thread waits (/proc/.../syscall, proc(5)). False: it is in none, runs, or the system does not
/// say. Some microseconds.
[[nodiscard]] AMITY_API bool reads_call(int thread_id, kernel_call& call) noexcept;

/// The signals that the thread blocks at the moment, the lowest bit for signal 1; unknown_time where that is not known.
/// Some ten microseconds.
[[nodiscard]] AMITY_API std::uint64_t blocked_signals(int thread_id) noexcept;

/// It has ended and is still listed, as the initial thread is until the process ends. False where that is not known.
[[nodiscard]] AMITY_API bool has_ended(int thread_id) noexcept;

}  // namespace amity::sys
