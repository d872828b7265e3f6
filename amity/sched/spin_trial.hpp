#pragma once

/// Does code that keeps its core spin for those who are ready there, or does it compute? Both use it up, and a while
/// after a rescue both have gone on. But code that spins goes on only when the others run. So now and then it is left
/// alone for some looks: whoever goes on by itself computes, and is left alone from then on, until it takes longer.
///
///     spin_trial trial;                                    // one for each group of fibers
///     if (trial.went_on_alone(events)) ...                 // at each look of the monitor
///     if (keeps_its_core && trial.leave_alone()) return;   // at a hurried one
///     trial.note_rescue();

#include <cstdint>
#include <utility>

namespace amity::sched {

class spin_trial {
 public:
  static constexpr int looks = 3;          ///< a trial's length; with the look before, most of one between calm looks
  static constexpr int rescues_until = 4;  ///< so many without a trial

  /// `events` is the count of the carrier that is to blame if somebody has to wait there. True, once for each trial: it
  /// has grown since it was left alone.
  [[nodiscard]] bool went_on_alone(std::uint64_t events) noexcept {
    if (std::exchange(events_, events) == events) return false;
    bool const alone = std::exchange(left_alone_, 0) != 0;
    if (alone) computes_ = true;
    return alone;
  }

  /// The carrier keeps its core at a look that comes soon after the last one.
  [[nodiscard]] bool leave_alone() noexcept {
    bool const due = computes_ || left_alone_ != 0 || rescues_ >= rescues_until;
    if (!due) return false;
    if (left_alone_ < looks) {
      ++left_alone_;
      return true;
    }
    computes_ = false;
    return false;
  }

  /// Whatever it did, it has been helped.
  void note_rescue() noexcept {
    rescues_ = left_alone_ != 0 ? 0 : rescues_ + 1;
    left_alone_ = 0;
  }

 private:
  std::uint64_t events_ = 0;
  int left_alone_ = 0;  ///< looks since its last event
  int rescues_ = 0;     ///< since the last trial
  bool computes_ = false;
};

}  // namespace amity::sched
