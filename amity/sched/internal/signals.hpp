#pragma once

/// The signal mask of a kernel thread whose own TLS may be in use on another one.

#include <signal.h>

#include <cstdint>

#include "amity/sys/raw_syscall.hpp"

namespace amity::sched {

/// All but those that a fault of the thread's own raises, and glibc's set*id broadcast.
[[nodiscard]] constexpr std::uint64_t deaf_mask() noexcept {
  constexpr int setxid = 33;
  std::uint64_t blocked = ~std::uint64_t{0};
  for (int open : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, setxid})
    blocked &= ~(std::uint64_t{1} << (open - 1));
  return blocked;
}

/// Sets the calling kernel thread's mask; returns the one before.
inline std::uint64_t set_signal_mask(std::uint64_t mask) noexcept {
  std::uint64_t before = 0;
  sys::raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&mask), reinterpret_cast<long>(&before),
                   sizeof mask);
  return before;
}

}  // namespace amity::sched
