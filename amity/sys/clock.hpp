#pragma once

/// A cheap monotonic cycle counter for decisions (how long to spin, was this thread away), not for reports.
///
///     auto start = amity::sys::ticks();
///     while (amity::sys::ticks() - start < amity::sys::ticks_of_microseconds(20)) { ... }

#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::sys {

/// The processor's constant-rate counter (rdtsc, cntvct_el0). Not ordered with other instructions.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  std::uint32_t low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));
  return (std::uint64_t{high} << 32) | low;
#else
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#endif
}

/// Ticks in a microsecond; measured at the first call of calibrate_ticks(), a typical value before.
AMITY_API extern std::uint64_t ticks_per_microsecond;

inline std::uint64_t ticks_of_microseconds(std::uint64_t microseconds) noexcept {
  return microseconds * ticks_per_microsecond;
}

/// Now, in nanoseconds of CLOCK_MONOTONIC: for times that are compared with the kernel's.
[[nodiscard]] std::uint64_t monotonic_ns() noexcept;

/// Finds the counter's rate: from the processor's own description where it gives one, else by 20 us of measuring.
void calibrate_ticks() noexcept;

}  // namespace amity::sys
