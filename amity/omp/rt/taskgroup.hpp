#pragma once

/// taskgroup: waits for the tasks that its region made and for all below them.
///
///     begin_taskgroup(t); ... end_taskgroup(t);

#include "amity/omp/rt/task.hpp"

namespace amity::omp {

struct taskgroup : scope {
  /// Set when the group is cancelled: tasks of it that have not begun are dropped. Nobody sets it yet.
  std::atomic<bool> cancelled{false};
  std::uintptr_t* gcc_reductions = nullptr;  ///< task_reduction.hpp
  void* clang_reductions = nullptr;
};

taskgroup& begin_taskgroup(thread& t) noexcept;

/// The innermost open taskgroup of the current task. Requires: there is one.
[[nodiscard]] taskgroup& open_taskgroup(thread& t) noexcept;

/// Waits, as end_taskgroup does, but leaves the group open.
void wait_taskgroup(thread& t) noexcept;
void end_taskgroup(thread& t) noexcept;

}  // namespace amity::omp
