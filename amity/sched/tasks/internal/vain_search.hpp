#pragma once

/// How long a fiber of the pool has looked for tasks in vain, and whether its carrier's core was taken meanwhile.

#include <cstdint>

#include "amity/sched/cores/contention.hpp"
#include "amity/sched/idle/patience.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {

class vain_search {
 public:
  /// Another look, at `now`, found nothing. True when it is time to go: the last look has to be a thorough one.
  [[nodiscard]] bool over(carrier& c, std::uint64_t now) noexcept { return over(c, now, patience::of_search()); }
  [[nodiscard]] bool over(carrier& c, std::uint64_t now, std::uint64_t longest) noexcept {
    if (since_ == 0)
      since_ = now;
    else if (now - last_ > sys::ticks_of_microseconds(away_limit_us))
      note_absence(c, now);
    last_ = now;
    return is_shared(c, now) || now - since_ > longest;
  }

  /// The same of one that yields at each look: it is in nobody's way, and it is no absence when others ran meanwhile.
  [[nodiscard]] bool over_yielding(std::uint64_t now, std::uint64_t longest) noexcept {
    if (since_ == 0) since_ = now;
    return now - since_ > longest;
  }

  void found_one() noexcept { since_ = 0; }

 private:
  std::uint64_t since_ = 0;  ///< ticks; 0: it has not begun
  std::uint64_t last_ = 0;
};

}  // namespace amity::sched
