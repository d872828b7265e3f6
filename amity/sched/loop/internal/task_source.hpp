#pragma once

/// What a carrier's loop knows of tasks: that there may be some, and who could give it a fiber to run them. Set once
/// tasks exist (engine.cpp); a program without pays one load for each fruitless look around.
///
/// All of it is called in the loop, where TLS and errno are somebody else's.

#include <atomic>

#include "amity/sched/fiber/carrier.hpp"

namespace amity::sched {

struct worker;

struct task_source {
  /// A parked fiber that will run tasks, for `c` to run; null if there is nothing to do for it. The caller gives it its
  /// permit.
  fiber* (*offer)(carrier& c) noexcept;
  /// offer() would find one. seq_cst, after `asleep`: Dekker with announce (tasks/README.md, T2).
  bool (*in_sight)(const carrier& c) noexcept;
  /// On the fiber: it yields, and a parked fiber may run a task in its place, on its carrier, whether there is room for
  /// another or not. Null: there is none, or no task. The caller gives it its permit.
  fiber* (*stand_in)(worker& w) noexcept;
  /// An OS thread is going to sleep that may run no fiber but its own, or one that is sent to it.
  void (*vacant)() noexcept;
  /// On the fiber: it is going to wait, and what it has queued is for others.
  void (*before_wait)(worker& w) noexcept;
  /// On the fiber: it has waited so, and is back.
  void (*after_wait)(worker& w) noexcept;
  /// On the fiber: its wait was over before it had to leave its carrier. What polls have brought meanwhile is run
  /// first.
  void (*after_polls)() noexcept;
};

extern std::atomic<const task_source*> tasks_of_process;

/// Null: there are no tasks yet.
inline const task_source* source_of_tasks() noexcept {
  return tasks_of_process.load(std::memory_order_acquire);  // with attach_source
}

}  // namespace amity::sched
