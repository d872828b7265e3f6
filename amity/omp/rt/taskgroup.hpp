#pragma once

/// taskgroup: waits for the tasks that its region made and for all below them.
///
///     begin_taskgroup(t); ... end_taskgroup(t);

#include "amity/omp/rt/task.hpp"

namespace amity::omp {

namespace race {
struct word;
}

struct taskgroup : scope {
  /// Tasks in it, and below those, that have not begun are dropped (cancel.hpp).
  std::atomic<bool> cancelled{false};
  bool of_construct = false;                 ///< of a construct with a task reduction: `cancel taskgroup` means another
  std::uint64_t number = 0;                  ///< of_construct: in team_tasks::commons
  std::uintptr_t* gcc_reductions = nullptr;  ///< task_reduction.hpp
  void* clang_reductions = nullptr;
  race::word* watched = nullptr;  ///< for a race detector; set only if there is one
};

taskgroup& begin_taskgroup(thread& t) noexcept;

/// The innermost open taskgroup of the current task. Requires: there is one.
[[nodiscard]] taskgroup& open_taskgroup(thread& t) noexcept;

/// Waits, as end_taskgroup does, but leaves the group open.
void wait_taskgroup(thread& t) noexcept;
void end_taskgroup(thread& t) noexcept;

}  // namespace amity::omp
