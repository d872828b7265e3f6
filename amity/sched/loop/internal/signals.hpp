#pragma once

/// The signal mask of an OS thread whose own TLS may be in use on another one.

#include <signal.h>

#include <cstdint>
#include <initializer_list>

#include "amity/sys/raw_syscall.hpp"

namespace amity::sched {

/// glibc's own: it tells every thread to change user or groups (credentials.cpp).
inline constexpr int set_id_signal = 33;

/// All but those that a fault of the thread's own raises, and the one above.
[[nodiscard]] constexpr std::uint64_t deaf_mask() noexcept {
  std::uint64_t blocked = ~std::uint64_t{0};
  for (int open : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, set_id_signal})
    blocked &= ~(std::uint64_t{1} << (open - 1));
  return blocked;
}

/// Sets the calling OS thread's mask; returns the one before.
inline std::uint64_t set_signal_mask(std::uint64_t mask) noexcept {
  std::uint64_t before = 0;
  sys::raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&mask), reinterpret_cast<long>(&before),
                   sizeof mask);
  return before;
}

}  // namespace amity::sched
