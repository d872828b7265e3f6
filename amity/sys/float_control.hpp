#pragma once

/// How the processor rounds, treats denormal numbers and masks exceptions: a thread's own, kept over switches, and
/// taken along by threads that are made. Which exceptions have been raised is no part of it.
///
///     std::uint64_t const mine = amity::sys::float_control();
///     // in another thread:
///     amity::sys::set_float_control(mine);

#include <cstdint>

namespace amity::sys {

#if defined(__x86_64__)

inline constexpr std::uint32_t raised_flags = 0x3f;  // of mxcsr

/// mxcsr, and x87's control word above it.
[[nodiscard]] inline std::uint64_t float_control() noexcept {
  std::uint32_t mxcsr;
  std::uint16_t x87;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  asm volatile("fnstcw %0" : "=m"(x87));
  return (mxcsr & ~raised_flags) | std::uint64_t{x87} << 32;
}

/// Writes only what differs: a write waits for all that the processor has under way.
inline void set_float_control(std::uint64_t wanted) noexcept {
  std::uint64_t const own = float_control();
  if (own == wanted) [[likely]]
    return;
  std::uint32_t mxcsr;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  mxcsr = static_cast<std::uint32_t>(wanted) | (mxcsr & raised_flags);
  asm volatile("ldmxcsr %0" ::"m"(mxcsr));
  if (own >> 32 == wanted >> 32) return;
  auto const x87 = static_cast<std::uint16_t>(wanted >> 32);
  // An exception that is raised already would strike when it is no longer masked.
  asm volatile("fnclex; fldcw %0" ::"m"(x87));
}

#else

[[nodiscard]] inline std::uint64_t float_control() noexcept {
  std::uint64_t fpcr;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr;
}

inline void set_float_control(std::uint64_t wanted) noexcept {
  if (float_control() != wanted) asm volatile("msr fpcr, %0" ::"r"(wanted));
}

#endif

}  // namespace amity::sys
