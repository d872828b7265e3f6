#pragma once

/// How long a fiber polls for messages from outside before its carrier sleeps: longer, where sleeps tend to end soon.
/// Processes that ask and answer would otherwise pay a sleep and a wake for each message, at both ends, for ever.
///
/// One object belongs to a carrier, and is told how long each of its sleeps was. If the poll in vain and the sleep took
/// no more than `most_us` together, the next poll lasts as long as both, and half as long again: at worst twice the
/// time is used that a sleep and a wake take at both ends (as in wake_cost.hpp). A longer sleep halves the time of the
/// poll, so a process that is called now and then is hardly awake at all.

#include <algorithm>
#include <cstdint>

namespace amity::sched {

class soon_waits {
 public:
  static constexpr std::uint64_t least_us = 10;
  /// A wake may take 50 us at either end.
  static constexpr std::uint64_t most_us = 100;

  /// Nothing came within look_on_us(), and then the carrier slept for `us`.
  void note(std::uint64_t us) noexcept {
    std::uint64_t const all = look_on_us_ + us;
    look_on_us_ = all <= most_us ? std::min(all + all / 2, most_us) : std::max(look_on_us_ / 2, least_us);
  }
  /// Microseconds.
  [[nodiscard]] std::uint64_t look_on_us() const noexcept { return look_on_us_; }

 private:
  std::uint64_t look_on_us_ = least_us;
};

}  // namespace amity::sched
