#pragma once

/// When the monitor looks: at its leisure, or, for some looks after a rescue, in a hurry, because code that needs one
/// often needs the next soon.

#include <cstdint>

#include "amity/sched/idle/monitor_limits.hpp"

namespace amity::sched {

class pace {
 public:
  /// The time from the last look to the next.
  [[nodiscard]] long interval_ns() const noexcept {
    return left_ > 0 ? monitor_limits::hurried_ns : monitor_limits::look_every_ns;
  }

  /// A look begins, an interval after the last. `interval` is what interval_ns() said.
  void begin(long interval) noexcept {
    if (left_ > 0) --left_;
    again(interval);
  }
  /// A look that follows at once.
  void again(long interval) noexcept {
    passed_ = static_cast<int>(interval / monitor_limits::hurried_ns);
    extra_ = passed_ == 1 && ++hurried_so_far_ % (monitor_limits::look_every_ns / monitor_limits::hurried_ns) != 0;
  }

  /// There is reason to look again soon.
  void hurry() noexcept { left_ = monitor_limits::hurried_looks; }
  /// There has been lately.
  [[nodiscard]] bool are_hurried() const noexcept { return left_ > 0; }
  /// The present look is one that there would not be at leisure.
  [[nodiscard]] bool is_extra() const noexcept { return extra_; }
  /// Hurried intervals since the last look.
  [[nodiscard]] int passed() const noexcept { return passed_; }

 private:
  int left_ = 0;
  int passed_ = 1;
  bool extra_ = false;
  unsigned hurried_so_far_ = 0;
};

}  // namespace amity::sched
