#pragma once

/// Sources of progress that nobody looks after, because all carriers have other things to do (idle/progress_judge.hpp):
/// what the monitor sees and does.

#include "amity/sched/idle/progress_judge.hpp"

namespace amity::sched {

class unattended_progress {
 public:
  /// A look of the monitor's. True: there is reason to look again soon.
  bool look() noexcept;

  /// The monitor's time to the next look: `ns`, in which it attends if it is to.
  void sleep(long ns) noexcept;

 private:
  bool act_on(progress_judge::act what) noexcept;

  progress_judge judge_;
  bool is_unattended_ = false;  ///< as of the last look
  bool attends_ = false;        ///< until the next look
};

}  // namespace amity::sched
