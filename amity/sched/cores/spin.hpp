#pragma once

/// Spinning in place for a short, adaptive time before parking. A fiber that visits another carrier than its home's
/// does not spin: that one ran it because it had nothing else to do until the visitor is through.
///
///     sched::spinner spin(*sched::self());
///     while (!done()) if (!spin.once()) { park until done; break; }
///     spin.finished();
///
/// The budget grows while waits end soon after the spinning did (a sleep would have cost more) and shrinks while they
/// last long, so that a program with rare regions burns next to nothing. Where a sleep costs more, it may be longer;
/// and it may be as long as three quarters of the time for which the fiber was of use since its last wait that was
/// longer than its spinning, less what it has spun since then. (Sleeps for other reasons count as use: that may cost
/// one spin.) OMP_WAIT_POLICY, GOMP_SPINCOUNT and KMP_BLOCKTIME set its limits.

#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/base/processor.hpp"
#include "amity/sched/cores/contention.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/idle/patience.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {

class spinner {
 public:
  explicit spinner(fiber& f) noexcept : fiber_(f), visiting_(is_visiting(f)) {}

  /// One turn. False when it is time to park: the budget is spent, or the core is wanted by others.
  [[nodiscard]] bool once() noexcept {
    if (visiting_) [[unlikely]]
      return false;
    if (turns_ > patience::eager_turns) base::cpu_relax();
    if (++turns_ % turns_per_look != 0) [[likely]]
      return true;
    return look();
  }

  /// True at every turn on which the clock was read: the time for rarer checks of the caller's.
  [[nodiscard]] bool looked() const noexcept { return turns_ % turns_per_look == 0; }
  [[nodiscard]] std::uint64_t waited() const noexcept { return start_ == 0 ? 0 : last_ - start_; }

  /// To spin any longer would be at the cost of somebody who could use the core.
  [[nodiscard]] bool core_is_wanted() const noexcept { return visiting_ || is_shared(*fiber_.on, last_); }

  /// Some carrier's core is not its own: what it would run may be left lying.
  [[nodiscard]] bool others_shared() const noexcept { return any_shared(last_); }

  /// The fiber did something useful meanwhile: the time for that was not spent spinning, nor was the core away.
  void restart() noexcept {
    turns_ = 0;
    start_ = 0;
    gave_up_ = false;
  }

  /// The wait is over, however it ended; adapts the budget.
  void finished() noexcept;

 private:
  static constexpr std::uint32_t turns_per_look = 8;
  AMITY_API bool look() noexcept;
  AMITY_API void adapt() noexcept;
  [[nodiscard]] std::uint64_t longest() const noexcept { return patience::of_fiber_at_most(fiber_.busy_since, start_); }

  [[nodiscard]] static bool is_visiting(const fiber& f) noexcept {
    std::uintptr_t const seat = f.seat.load(std::memory_order_relaxed);
    return seat == 0 || group_of(seat)->home != f.on;
  }

  fiber& fiber_;
  bool const visiting_;
  std::uint32_t turns_ = 0;
  bool gave_up_ = false;
  std::uint64_t start_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t budget_ = 0;  ///< ticks; for this wait, when it has started
};

inline void spinner::finished() noexcept {
  if (!gave_up_) [[likely]] {
    fiber_.late_waits = 0;
    if (start_ != 0) [[unlikely]]
      patience::credit_of_fiber::spend(fiber_.busy_since, last_ - start_);
    return;
  }
  adapt();
}

}  // namespace amity::sched
