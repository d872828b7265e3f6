#pragma once

/// A profile's view of tasks. With an observer, whoever has taken a task out of a queue hands it over instead of
/// calling it, so that the observer sees its begin and its end.
///
///     run_task(*t, w, call::from_queue);                      // in halves that are cold, or cost microseconds anyway
///     tasks_are_observed() ? serve_as<true>(w) : serve_as<false>(w);  // where each task would pay for the question
///
/// Without an observer the fast path of join (task.hpp) and of a future's get have no instruction more: with one,
/// `look_below` sends them to their cold halves (set_look_below).

#include "amity/sched/tasks/task.hpp"

namespace amity::sched {

struct task_observer {
  /// Calls `t.run(t, w, how)`, on the calling fiber.
  void (*run)(task& t, worker& w, call how) noexcept;
  /// The same of one out of a queue, in a loop of the calling fiber that calls settle() when it does not run another at
  /// once. So the observer may take the end of one and the begin of the next for one moment.
  void (*run_next)(task& t, worker& w) noexcept;
  void (*settle)() noexcept;
  /// The calling fiber, of the program's own, becomes one that has tasks.
  void (*attached)() noexcept;
};
/// Null: there is none. Set when the pool starts, before there are workers, and never changed; so plain loads will do.
AMITY_API extern const task_observer* observer_of_tasks;

[[nodiscard]] inline bool tasks_are_observed() noexcept { return observer_of_tasks != nullptr; }

inline void run_task(task& t, worker& w, call how) noexcept {
  if (tasks_are_observed()) [[unlikely]]
    return observer_of_tasks->run(t, w, how);
  t.run(t, w, how);
}

/// For such a loop: it is over when this ends, or pauses where this is told.
class observed_loop {
 public:
  observed_loop() noexcept : observer_(observer_of_tasks) {}
  observed_loop(const observed_loop&) = delete;
  observed_loop& operator=(const observed_loop&) = delete;
  ~observed_loop() { pause(); }
  void pause() const noexcept {
    if (observer_ != nullptr) [[unlikely]]
      observer_->settle();
  }
  void run(task& t, worker& w) const noexcept {
    if (observer_ != nullptr) [[unlikely]]
      return observer_->run_next(t, w);
    t.run(t, w, call::from_queue);
  }

 private:
  const task_observer* const observer_;
};

/// The same where the question has been asked.
template <bool Observed>
void run_task_as(task& t, worker& w, call how) noexcept {
  if constexpr (Observed)
    observer_of_tasks->run(t, w, how);
  else
    t.run(t, w, how);
}

}  // namespace amity::sched
