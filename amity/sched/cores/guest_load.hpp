#pragma once

/// Guests that compute are workers, too: where the program's own threads keep G of the N cores busy, N - G helpers have
/// one for themselves. The others are *spare* and count as shared (contention.hpp): nobody wakes them for a member of
/// a team, its own thread runs it at the join. Otherwise N + G - 1 OS threads would share N cores, and each region
/// would wait for a member that the kernel has put off for a slice. (GROMACS with two ranks in threads, each with teams
/// of two, on two cores: 4.6 s instead of 3.7.)
///
/// Whether a guest keeps a core busy can't be seen from here while it runs the program's own code. So every few
/// milliseconds the kernel is asked how long each was on a core or waited for one, if there are at least two guests.

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::sched {

/// When to ask next, in ticks. Never while the process has fewer than two guests.
AMITY_API extern std::atomic<std::uint64_t> next_weighing;

/// Asks the kernel, and says which helpers are spare. Some microseconds for each guest, at most a hundredth of the
/// time.
AMITY_API void weigh_guests(std::uint64_t now) noexcept;

/// Called wherever somebody looks at the clock in order to find out whether a core is its own.
inline void weigh_guests_when_due(std::uint64_t now) noexcept {
  if (now >= next_weighing.load(std::memory_order_relaxed)) [[unlikely]]  // a hint; weigh_guests looks again
    weigh_guests(now);
}

/// A thread has become a guest, or ends; how many are left.
void guest_came() noexcept;
int guest_went() noexcept;

/// A hint, unless the caller knows that none can come.
[[nodiscard]] int guests_there() noexcept;

/// In the child of a fork: there are none but those who come.
void forget_guests() noexcept;

/// How many helpers have a core for themselves, where the guests wanted `wanted` in all while `window` passed. A
/// quarter of a core may be left to both: a guest that computes all the time does not use all of it, and less would not
/// be worth a helper. One guest is what the pool counts on.
[[nodiscard]] constexpr int helpers_with_a_core(int cores, std::uint64_t wanted, std::uint64_t window) noexcept {
  if (window == 0) return cores - 1;
  auto const busy = static_cast<int>(std::min<std::uint64_t>((wanted + window / 4) / window, cores));
  return std::min(cores - busy, cores - 1);
}

}  // namespace amity::sched
