#pragma once

/// How long somebody who waits looks on, awake, before it sleeps. The times of all such waits stand here; what is done
/// at each look stands with the wait.
///
/// | wait | looks on for | after much work |
/// |---|---|---|
/// | a fiber, before it parks (`spinner`) | 50 us at first, then 3 to 200 | 3/4 of it, 4 ms at most |
/// | a carrier without a fiber (`idle_time`) | 10 us | 1/4 of it, 1 ms at most |
/// | the same, which takes turns for its core | 250 us | |
/// | a fiber of the pool without a task (`vain_search`) | 10 us | |
/// | the last of a group of fibers (`lookout`) | 2 us | |
/// | a fiber with tasks, while something drives progress | 2 us | |
/// | a fiber that polls for messages (`soon_waits`) | 10 us, where they come soon or it yields up to 100 | |
/// | a wait that may be over within some hundred cycles (`wait_briefly`) | 24 looks | |
/// | a fiber that finds a mutex held (`sync`, `brief_spin`) | 50 us | |
///
/// Where a wake costs more than such a time, the first two, and the search for tasks, look on for longer
/// (wake_cost.hpp). All times are returned in ticks.

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/idle/awake_credit.hpp"
#include "amity/sched/idle/soon_waits.hpp"
#include "amity/sched/idle/wake_cost.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {

/// For the spinning of fibers, in microseconds; set once before the first wait.
struct spin_limits {
  std::uint64_t least = 3;
  std::uint64_t first = 50;
  std::uint64_t most = 200;
  /// Where it costs much to wake a thread (wake_cost.hpp), `first` and `most` are more; `most` also where much was
  /// done.
  bool follows_wakes = true;
};
/// Exactly so long, by the user's wish, and less after waits that lasted longer.
[[nodiscard]] constexpr spin_limits spin_up_to(std::uint64_t us) noexcept { return {us < 3 ? us : 3, us, us, false}; }
AMITY_API extern spin_limits spin_setting;

/// The processes of this job outnumber the cores of this node: what is waited for may need this very core. Set once,
/// before the first message. Relaxed: a hint.
AMITY_API extern std::atomic<bool> processes_share_cores;

namespace patience {

/// Regions of 2 and 7 ms with 1 ms in between took 1.1 of the time when their helper slept in between. So a helper that
/// has been of use for a while may be awake for nearly as long again: two threads use no more than 1.4 of the time that
/// they need, many no more than 1.75; up to what libgomp spins for, some milliseconds.
using credit_of_fiber = awake_credit<3, 4>;
inline constexpr std::uint64_t fiber_most_for_work_us = 4'000;
/// A carrier has nothing to expect.
using credit_of_carrier = awake_credit<1, 4>;
inline constexpr std::uint64_t carrier_us = 10, carrier_most_for_work_us = 1'000;
/// While a helper that takes turns rested, others began to run its fibers, and it takes until the next release before
/// there is one for it again.
inline constexpr std::uint64_t in_turn_us = 250;
/// Its carrier looks around for a moment more.
inline constexpr std::uint64_t search_us = 10;
/// Less than a carrier with nothing to do leaves ready fibers to another (claim_elsewhere).
inline constexpr std::uint64_t lookout_us = 2;
inline constexpr std::uint64_t before_park_us = 2;
/// The most that a wake costs between far cores of a virtual machine.
inline constexpr std::uint64_t mutex_us = 50;
inline constexpr unsigned brief_looks = 24;
/// The first turns of a spin come without a pause: most waits in a balanced program are that short, and a pause is 40
/// to 140 cycles.
inline constexpr std::uint32_t eager_turns = 32;

[[nodiscard]] inline std::uint64_t by_setting(std::uint64_t us) noexcept {
  return spin_setting.follows_wakes ? worth_waiting(us) : sys::ticks_of_microseconds(us);
}

/// A fiber that has not waited yet.
[[nodiscard]] inline std::uint64_t of_fiber_at_first() noexcept { return by_setting(spin_setting.first); }
[[nodiscard]] inline std::uint64_t of_fiber_at_least() noexcept {
  return sys::ticks_of_microseconds(spin_setting.least);
}
/// A fiber whose wait began at `begun`, and which has been of use since `busy_since` (awake_credit.hpp).
[[nodiscard]] inline std::uint64_t of_fiber_at_most(std::uint64_t busy_since, std::uint64_t begun) noexcept {
  std::uint64_t const in_any_case = by_setting(spin_setting.most);
  if (!spin_setting.follows_wakes) return in_any_case;
  std::uint64_t const for_work = credit_of_fiber::earned(busy_since, begun);
  return std::max(in_any_case, std::min(for_work, sys::ticks_of_microseconds(fiber_most_for_work_us)));
}

/// A carrier that has found nothing to run since `begun`. `may_lack_a_core`: there may be more threads than cores.
[[nodiscard]] inline std::uint64_t of_carrier(std::uint64_t busy_since, std::uint64_t begun,
                                              bool may_lack_a_core) noexcept {
  std::uint64_t const in_any_case = worth_looking(carrier_us);
  if (!spin_setting.follows_wakes || may_lack_a_core) return in_any_case;
  std::uint64_t const for_work = credit_of_carrier::earned(busy_since, begun);
  return std::max(in_any_case, std::min(for_work, sys::ticks_of_microseconds(carrier_most_for_work_us)));
}

/// One that polls for messages. `yields`: between two looks, so it is in nobody's way.
[[nodiscard]] inline std::uint64_t of_poll(const soon_waits& sleeps, bool yields) noexcept {
  return sys::ticks_of_microseconds(yields ? soon_waits::most_us : sleeps.look_on_us());
}

[[nodiscard]] inline std::uint64_t of_search() noexcept { return worth_looking(search_us); }

}  // namespace patience
}  // namespace amity::sched
