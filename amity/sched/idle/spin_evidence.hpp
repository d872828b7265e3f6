#pragma once

/// Does code that keeps its core spin for those who are ready there, or does it compute? Both use it up, and a while
/// after a rescue both have gone on. But code that spins goes on only when the others run. So it is left alone for some
/// looks before the first rescue, and now and then later. Code that goes on by itself computes, and is left alone from
/// then on; code that does not, and goes on soon after the others were sent away, spins. Code that was rescued and goes
/// on late, with no rescue of any group to owe it to, is left alone for twice as long the next time: parts of 25 ms no
/// longer are rescued after three of them.
///
///     spin_evidence spinning;                                     // one for each group of fibers
///     switch (spinning.look(events, now_us, helped_until_us)) ... // at each look of the monitor
///     if (keeps_its_core && spinning.leave_alone(1)) return;      // 1: this look came as soon as looks do
///     spinning.note_rescue(now_us, sent);                         // or note_wait(), of one that waits in the kernel
///
/// `look` comes first, once at each look of the monitor; the others at most once after it.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "amity/base/language.hpp"
#include "amity/sched/idle/monitor_limits.hpp"

namespace amity::sched {

class spin_evidence {
 public:
  // Looks that it is left alone for: with the look before, most of the time between calm looks; and at most, after
  // rescues that did not help. After so many rescues there is a trial again. What is soon after a rescue, for each that
  // then has a turn of the kernel's. So often it went on soon.
  static constexpr int trial_looks = monitor_limits::trial_looks, most_looks = monitor_limits::most_looks;
  static constexpr int rescues_in_a_row = monitor_limits::rescues_in_a_row;
  static constexpr std::uint64_t soon_us = monitor_limits::soon_us;
  static constexpr int sure = monitor_limits::sure;

  enum class finding : std::uint8_t { none, spins, computes };

  /// Until when going on may be owed to a rescue at `now_us`.
  [[nodiscard]] static std::uint64_t helps_until_us(std::uint64_t now_us, unsigned sent) noexcept {
    return now_us + (1 + sent) * soon_us;
  }

  /// `events` is the count of the carrier that is to blame if somebody has to wait; `helped_until_us` the latest
  /// helps_until_us() of all groups: code that spins may wait for members of another one, too.
  [[nodiscard]] finding look(std::uint64_t events, std::uint64_t now_us, std::uint64_t helped_until_us) noexcept {
    bool const went_on = std::exchange(events_, events) != events;
    if (went_on && std::exchange(rescue_to_judge_, false) && now_us > helped_until_us)
      patience_ = std::min(2 * patience_, most_looks);
    bool const alone = went_on && std::exchange(left_alone_, 0) != 0;
    if (rescued_) return look_after_rescue(went_on, now_us);
    if (!alone) return finding::none;
    computes_ = true;
    spun_ = 0;
    return finding::computes;
  }

  /// Another carrier is to blame from now on.
  void restart(std::uint64_t events) noexcept {
    events_ = events;
    left_alone_ = 0;
    rescued_ = rescue_to_judge_ = false;
  }

  /// The carrier keeps its core: whether nobody is to be sent away yet. `looks` would have passed since the last one,
  /// this one included, had they come as soon one after the other as they do after a rescue.
  [[nodiscard]] bool leave_alone(int looks) noexcept {
    bool const on_trial = computes_ || spun_ == 0 || left_alone_ != 0 || rescues_ >= rescues_in_a_row;
    if (rescued_ || !on_trial || left_alone_ + looks > patience_) return false;
    left_alone_ += looks;
    return true;
  }

  /// So many were sent away from a carrier that keeps its core. Now it may go on, or not.
  void note_rescue(std::uint64_t now_us, unsigned sent) noexcept {
    rescues_ = left_alone_ != 0 ? 0 : rescues_ + 1;
    left_alone_ = 0;
    computes_ = false;
    rescue_to_judge_ = true;
    if (!std::exchange(rescued_, true)) going_on_is_soon_until_us_ = helps_until_us(now_us, sent);
  }

  /// It was one that waits in the kernel: that is no computing.
  [[nodiscard]] finding note_wait() noexcept {
    spun_ = std::min(spun_ + 1, most_spun);
    return spun_ >= sure ? finding::spins : finding::none;
  }

 private:
  static constexpr int most_spun = 2 * sure;

  finding look_after_rescue(bool went_on, std::uint64_t now_us) noexcept {
    bool const in_time = now_us <= going_on_is_soon_until_us_;  // the monitor may have slept since then
    if (!went_on && in_time) return finding::none;
    rescued_ = false;
    bool const spun = went_on && in_time;
    spun_ = std::clamp(spun ? spun_ + 1 : spun_ - 1, 0, most_spun);
    if (spun) patience_ = trial_looks;
    return spun && spun_ >= sure ? finding::spins : finding::none;
  }

  std::uint64_t events_ = 0;
  std::uint64_t going_on_is_soon_until_us_ = 0;
  int patience_ = trial_looks;
  int left_alone_ = 0;            ///< looks since its last event, at which it kept its core
  int rescues_ = 0;               ///< since the last trial
  int spun_ = 0;                  ///< how often it went on soon after one, less how often not
  bool rescued_ = false;          ///< and neither went on nor was late since then
  bool rescue_to_judge_ = false;  ///< it has not gone on since then
  bool computes_ = false;
};

}  // namespace amity::sched
