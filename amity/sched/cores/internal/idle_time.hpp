#pragma once

#include <cstdint>

#include "amity/base/processor.hpp"
#include "amity/sched/cores/contention.hpp"
#include "amity/sched/cores/take_turns.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/idle/patience.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {

/// How long a carrier has found nothing, whether its core was taken from it meanwhile, and when it is time to sleep.
///
/// One that has had something to run for a while looks around for up to a quarter of that time (awake_credit.hpp)
/// before it sleeps.
class idle_time {
 public:
  explicit idle_time(carrier& c) noexcept : carrier_(c) {}

  /// Another fruitless look around. True when it is time to sleep.
  [[nodiscard]] bool over(std::uint64_t now) noexcept {
    if (since_ == 0) {
      since_ = now;
      look_back(carrier_, now);
    } else if (now - last_ > sys::ticks_of_microseconds(away_limit_us)) {
      note_absence(carrier_, now);
    }
    if (look_for_company(carrier_, now)) now = since_ = sys::ticks();
    last_ = carrier_.core.turn.looked_at = now;
    return is_shared(carrier_, now) || now - since_ > longest();
  }
  [[nodiscard]] std::uint64_t since(std::uint64_t now) const noexcept { return since_ == 0 ? now : since_; }
  /// So long that most carriers would sleep. Requires: over() has been asked.
  [[nodiscard]] bool is_long(std::uint64_t now) const noexcept {
    return now - since_ > sys::ticks_of_microseconds(patience::carrier_us);
  }
  /// Between two looks: the longer it has waited, the less a look is worth, and looks slow those down who work.
  void pause(std::uint64_t now) const noexcept {
    int const pauses = now - since_ < sys::ticks_of_microseconds(1) ? 1 : is_long(now) ? 16 : 4;
    for (int i = 0; i < pauses; ++i) base::cpu_relax();
  }

  /// It has found something to run.
  void found_work() noexcept {
    if (since_ != 0) patience::credit_of_carrier::spend(carrier_.busy_since, last_ - since_);
    since_ = 0;
  }

  /// It has slept.
  void restart() noexcept {
    std::uint64_t const now = sys::ticks();
    if (since_ != 0) carrier_.sleeps.note((now - since_) / sys::ticks_of_microseconds(1));
    carrier_.busy_since = now;
    since_ = 0;
  }

 private:
  [[nodiscard]] std::uint64_t longest() const noexcept {
    if (takes_turns(carrier_.core.turn)) return sys::ticks_of_microseconds(patience::in_turn_us);
    bool const may_lack_a_core = since_ < own_threads_until.load(std::memory_order_relaxed);
    return patience::of_carrier(carrier_.busy_since, since_, may_lack_a_core);
  }

  carrier& carrier_;
  std::uint64_t since_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace amity::sched
