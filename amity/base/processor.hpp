#pragma once

/// What the language leaves to the processor: fences, and a pause for loops that wait.
///
///     while (!ready.load(std::memory_order_acquire)) base::cpu_relax();

#include <atomic>

#include "amity/base/language.hpp"

namespace amity::base {

/// std::atomic_thread_fence(order), where the compiler would warn that ThreadSanitizer does not know fences: callers
/// that depend on one say so.
inline void atomic_fence(std::memory_order order) noexcept {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wtsan"
#endif
  std::atomic_thread_fence(order);
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
}

/// A seq_cst fence right after a read-modify-write of the caller's, of whatever order: on x86-64 that was one already.
inline void fence_after_rmw() noexcept {
#if defined(__x86_64__)
  std::atomic_signal_fence(std::memory_order_seq_cst);
#else
  atomic_fence(std::memory_order_seq_cst);
#endif
}

/// Tells the core that this is a spinning loop. No memory ordering.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // `yield` is a no-op on most cores; isb waits about as long as x86's pause
#else
#error "Amity runs on x86-64 and aarch64"
#endif
}

}  // namespace amity::base
