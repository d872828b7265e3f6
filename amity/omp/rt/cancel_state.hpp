#pragma once

/// What a team keeps about cancellation, apart from team::cancelled; see cancel.hpp.

#include <atomic>
#include <cstdint>

namespace amity::omp {

struct cancel_state {
  /// The round of the team's barrier in which the region was cancelled: a barrier that was over before does not tell
  /// of it. Written before the bit in team::cancelled.
  std::atomic<std::uint32_t> round{0};

  /// Members at the end of the region.
  std::atomic<std::uint32_t> through{0};

  /// Loops and sections: 1 + the round of the team's barrier in which the last one was cancelled, for even and for odd
  /// rounds. The barrier that closes the construct makes it out of date.
  struct by_round {
    std::atomic<std::uint32_t> in[2] = {0, 0};
  };
  by_round loops, sections;

  /// In a team with members in other processes: 1 + the number, in the region, of the last loop that was cancelled, of
  /// those that are dealt out by calls. A loop without a barrier may be under way in the same round.
  std::atomic<std::uint64_t> loop_across{0};
};

/// Bits of team::cancelled.
inline constexpr std::uint32_t region_cancelled = 1;
inline constexpr std::uint32_t one_group_cancelled = 2;  ///< counted: groups that are cancelled and not ended

}  // namespace amity::omp
