// The atomics that all of Amity uses: std::atomic under a name of our own, so that a model checker can take its place
// in one file.
//
//   base::atomic<bool> ready_{false};
//   while (!ready_.load(std::memory_order_acquire)) // pairs with publish
//       base::cpu_relax();
#pragma once

#include <atomic>

#include "amity/base/language.hpp"

namespace amity::base {

template <class T>
using atomic = std::atomic<T>;

// A fence of its own function for the same reason. `order` as for std::atomic_thread_fence.
inline void atomic_fence(std::memory_order order) noexcept {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wtsan"  // the sanitizer doesn't model fences; callers that depend on one say so
#endif
  std::atomic_thread_fence(order);
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
}

// A seq_cst fence right after a read-modify-write of the caller's, of whatever order: on x86-64 that was one already.
inline void fence_after_rmw() noexcept {
#if defined(__x86_64__)
  std::atomic_signal_fence(std::memory_order_seq_cst);
#else
  atomic_fence(std::memory_order_seq_cst);
#endif
}

// Tells the core that this is a spinning loop. No memory ordering.
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
