#pragma once

/// How long somebody who has been of use may be awake without need. A wait in the kernel costs more than the wake: the
/// core goes to sleep and is slower when it is back, and the thread may be put elsewhere. So `Awake` microseconds are
/// earned by `Work` of use since the last sleep, and what was spent awake in vain is taken off.
///
///     using credit = awake_credit<3, 4>;
///     std::uint64_t const most = credit::earned(busy_since, now);   // at the beginning of a wait
///     credit::spend(busy_since, now - began);                       // it ended before that was spent
///     busy_since = now;                                             // or it was, and a sleep has ended since
///
/// `busy_since` is all that is kept: when the time of use began that has not been spent yet. 0: never, nothing is
/// earned. Times are in any unit, the same throughout.

#include <cstdint>

namespace amity::sched {

template <std::uint64_t Awake, std::uint64_t Work>
struct awake_credit {
  [[nodiscard]] static constexpr std::uint64_t earned(std::uint64_t busy_since, std::uint64_t now) noexcept {
    return busy_since == 0 || now < busy_since ? 0 : (now - busy_since) / Work * Awake;
  }
  /// As if it had slept for that, and for the work that allows it.
  static constexpr void spend(std::uint64_t& busy_since, std::uint64_t awake) noexcept {
    if (busy_since != 0) busy_since += awake / Awake * (Awake + Work);
  }
};

}  // namespace amity::sched
