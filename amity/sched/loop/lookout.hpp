#pragma once

/// A moment of spinning by the last one of several fibers that share a carrier and wait for the same: while it looks
/// out for that, and lets the others go on when it comes, the thread that makes it true has to tell nobody here.
///
///     sched::lookout out(*sched::self());
///     while (!done()) if (!out.once()) { others tell us; park; break; }
///
/// It ends at once when the carrier has something else to run, and is so short that a carrier which has nothing is
/// hardly kept from looking for work elsewhere.

#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/base/processor.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/idle/patience.hpp"

namespace amity::sched {

class lookout {
 public:
  explicit lookout(const fiber& f) noexcept : fiber_(f) {}

  /// One turn. False when it is time to park.
  [[nodiscard]] bool once() noexcept {
    if (turns_ >= patience::eager_turns) base::cpu_relax();
    return turns_++ % turns_per_look != 0 || look();
  }

 private:
  static constexpr std::uint32_t turns_per_look = 4;
  AMITY_API bool look() noexcept;

  const fiber& fiber_;
  std::uint32_t turns_ = 0;
  std::uint64_t start_ = 0;  ///< ticks; 0: it has not begun
};

}  // namespace amity::sched
