#include "amity/sys/clock.hpp"

#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace amity::sys {

std::uint64_t ticks_per_microsecond = 2000;

namespace {

#if defined(__x86_64__)
/// Leaf 0x15 gives the counter's rate as crystal * numerator / denominator; many virtual machines leave it out.
std::uint64_t described_rate() noexcept {
  unsigned denominator, numerator, crystal, unused;
  if (!__get_cpuid_count(0x15, 0, &denominator, &numerator, &crystal, &unused)) return 0;
  if (denominator == 0 || numerator == 0 || crystal == 0) return 0;
  return std::uint64_t{crystal} * numerator / denominator / 1'000'000;
}
#else
std::uint64_t described_rate() noexcept {
  std::uint64_t hertz;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
  return hertz / 1'000'000;
}
#endif

std::int64_t nanoseconds_now() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

/// Both clocks at (nearly) the same time.
struct instant {
  std::int64_t nanoseconds;
  std::uint64_t ticks;
};

/// Tries again when something came between the two readings; the narrowest of a few tries counts.
instant both_clocks() noexcept {
  instant best{};
  std::uint64_t width = ~std::uint64_t{0};
  for (int tries = 0; tries < 4; ++tries) {
    std::uint64_t const before = ticks();
    std::int64_t const now = nanoseconds_now();
    std::uint64_t const took = ticks() - before;
    if (took >= width) continue;
    width = took;
    best = {now, before + took / 2};
  }
  return best;
}

/// A reading takes some 50 ns, so 20 us give the rate to half a percent: far better than those who use it need.
std::uint64_t measured_rate() noexcept {
  instant const begin = both_clocks();
  while (nanoseconds_now() - begin.nanoseconds < 20'000) {
  }
  instant const end = both_clocks();
  return (end.ticks - begin.ticks) * 1000 / static_cast<std::uint64_t>(end.nanoseconds - begin.nanoseconds);
}

}  // namespace

void calibrate_ticks() noexcept {
  std::uint64_t rate = described_rate();
  if (rate == 0) rate = measured_rate();
  ticks_per_microsecond = rate == 0 ? 1 : rate;
}

std::uint64_t monotonic_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace amity::sys
