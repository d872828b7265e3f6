#pragma once

/// The kernel's wait queue for one 32-bit word, private to this process.
///
///     std::atomic<std::uint32_t> word{0};
///     amity::sys::futex_wait(word, 0);   // sleeps while word == 0, until a wake (or without cause)
///     amity::sys::futex_wake(word, 1);

#include <linux/futex.h>
#include <time.h>

#include <atomic>
#include <cstdint>

#include "amity/sys/raw_syscall.hpp"

namespace amity::sys {

/// Blocks the OS thread while `word == expected`. May return without cause: callers test their condition again.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  raw_syscall(SYS_futex, reinterpret_cast<long>(&word), FUTEX_WAIT | FUTEX_PRIVATE_FLAG, expected);
}

/// As futex_wait, but gives up after `nanoseconds`.
inline void futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected, long nanoseconds) noexcept {
  timespec limit{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  raw_syscall(SYS_futex, reinterpret_cast<long>(&word), FUTEX_WAIT | FUTEX_PRIVATE_FLAG, expected,
              reinterpret_cast<long>(&limit));
}

/// Wakes at most `count` OS threads that wait on `word`.
inline void futex_wake(std::atomic<std::uint32_t>& word, int count) noexcept {
  raw_syscall(SYS_futex, reinterpret_cast<long>(&word), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count);
}

inline constexpr int wake_all = 0x7fffffff;

}  // namespace amity::sys
