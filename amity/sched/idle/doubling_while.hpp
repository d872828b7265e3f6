#pragma once

/// For how long to take something for granted that was seen just now and may be over soon: a short while at first; one
/// that begins soon after the last (within four times its length) is twice as long. So a chance costs next to nothing,
/// and where it is the rule the trials cost next to nothing.
///
///     if (while_shared.begin(now, longest_us)) ...        // seen again
///     if (while_shared.covers(now)) ...                   // still taken for granted

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "amity/sys/clock.hpp"

namespace amity::sched {

class doubling_while {
 public:
  static constexpr std::uint64_t first_us = 2'000;

  [[nodiscard]] bool covers(std::uint64_t now) const noexcept { return now < end(); }
  [[nodiscard]] std::uint64_t end() const noexcept { return end_.load(std::memory_order_relaxed); }

  /// False: one lasts already.
  bool begin(std::uint64_t now, std::uint64_t longest_us, std::uint64_t shortest_us = first_us) noexcept {
    std::uint64_t const last_end = end();
    if (now < last_end) return false;
    std::uint64_t const last = length_.load(std::memory_order_relaxed);
    bool const soon_again = last_end != 0 && now - last_end < last * 4;
    std::uint64_t const length = std::min(soon_again ? last * 2 : sys::ticks_of_microseconds(shortest_us),
                                          sys::ticks_of_microseconds(longest_us));
    length_.store(length, std::memory_order_relaxed);
    end_.store(now + length, std::memory_order_relaxed);
    return true;
  }

  void forget() noexcept {
    end_.store(0, std::memory_order_relaxed);
    length_.store(0, std::memory_order_relaxed);
  }

 private:
  // Relaxed throughout: hints, from which racing writers may lose one.
  std::atomic<std::uint64_t> end_{0};     ///< ticks
  std::atomic<std::uint64_t> length_{0};  ///< ticks, of the last one
};

}  // namespace amity::sched
