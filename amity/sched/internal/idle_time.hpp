#pragma once

#include <cstdint>

#include "amity/base/atomic_shim.hpp"
#include "amity/sched/carrier.hpp"
#include "amity/sched/contention.hpp"
#include "amity/sched/turns.hpp"
#include "amity/sched/wake_cost.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {

/// How long a carrier has found nothing, and whether its core was taken from it meanwhile.
class idle_time {
 public:
  /// Another fruitless look around. True when it is time to sleep.
  [[nodiscard]] bool over(carrier& c, std::uint64_t now) noexcept {
    if (since_ == 0) {
      since_ = now;
      look_back(c, now);
    } else if (now - last_ > sys::ticks_of_microseconds(away_limit_us)) {
      note_absence(c, now);
    }
    if (look_for_company(c, now)) now = since_ = sys::ticks();
    last_ = c.turn.looked_at = now;
    return is_shared(c, now) || now - since_ > (takes_turns(c.turn) ? sys::ticks_of_microseconds(turns::look_us)
                                                                    : worth_looking(loop_spin_us));
  }
  [[nodiscard]] std::uint64_t since(std::uint64_t now) const noexcept { return since_ == 0 ? now : since_; }
  /// Between two looks: the longer it has waited, the less a look is worth, and looks slow those down who work.
  void pause(std::uint64_t now) const noexcept {
    int const pauses = now - since_ < sys::ticks_of_microseconds(1) ? 1 : 4;
    for (int i = 0; i < pauses; ++i) base::cpu_relax();
  }
  void reset() noexcept { since_ = 0; }

 private:
  static constexpr std::uint64_t loop_spin_us = 10;  ///< how long it looks around before it sleeps

  std::uint64_t since_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace amity::sched
