#pragma once

/// Properties of executors and policies, as HPX has them: `with_X` gives the same executor with another property,
/// `get_X` asks for it.
///
///     namespace ex = amity::execution::experimental;
///     auto soon = ex::with_priority(amity::execution::parallel_executor(), amity::task_priority::high);
///     auto near = ex::with_hint(soon, 3);                             // for worker 3, from where others may steal
///     auto named = ex::with_annotation(near, "assembly");
///     amity::async(named, work);
///     amity::for_each(ex::with_annotation(amity::execution::par, "loop"), v.begin(), v.end(), f);
///
/// Priorities and hints are of tasks. The chunks of an algorithm take no notice of them.

#include <concepts>
#include <string>
#include <utility>

#include "amity/algo/execution.hpp"
#include "amity/algo/executor.hpp"

namespace amity::execution {

/// By all workers, as single tasks with a priority and a wish for a worker (sched/tasks/policy.hpp).
class scheduled_executor {
 public:
  /// As parallel_executor.
  constexpr scheduled_executor() noexcept = default;
  /// With that priority and worker.
  constexpr explicit scheduled_executor(const scheduling& how) noexcept : how_(how) {}

  static constexpr void put(algo::settings&) noexcept {}
  template <class F>
  auto run(F&& f) const {
    return amity::async(how_, std::forward<F>(f));
  }
  /// What was asked for.
  [[nodiscard]] constexpr const scheduling& how() const noexcept { return how_; }

 private:
  scheduling how_;
};
template <>
inline constexpr bool is_executor_v<scheduled_executor> = true;

namespace detail {

[[nodiscard]] constexpr scheduling scheduling_of(const parallel_executor&) noexcept { return {}; }
[[nodiscard]] constexpr scheduling scheduling_of(const scheduled_executor& by) noexcept { return by.how(); }

template <class E>
concept runs_scheduled = requires(const E& by) {
  { scheduling_of(by) } -> std::same_as<scheduling>;
};

}  // namespace detail

namespace experimental {

using execution::scheduled_executor;

/// The same executor, for tasks of another priority.
template <execution::detail::runs_scheduled Executor>
[[nodiscard]] constexpr scheduled_executor with_priority(const Executor& executor, task_priority priority) noexcept {
  scheduling how = execution::detail::scheduling_of(executor);
  how.priority = priority;
  return scheduled_executor(how);
}
/// The same.
[[nodiscard]] inline policy_executor with_priority(const policy_executor& executor, task_priority priority) {
  return executor.with(priority);
}
/// The priority of tasks that are begun by `executor`.
template <execution::detail::runs_scheduled Executor>
[[nodiscard]] constexpr task_priority get_priority(const Executor& executor) noexcept {
  return execution::detail::scheduling_of(executor).priority;
}
/// The same.
[[nodiscard]] inline task_priority get_priority(const policy_executor& executor) noexcept {
  return executor.priority();
}

/// The same executor, for tasks that ask for worker `worker`. no_worker: for any.
template <execution::detail::runs_scheduled Executor>
[[nodiscard]] constexpr scheduled_executor with_hint(const Executor& executor, int worker) noexcept {
  scheduling how = execution::detail::scheduling_of(executor);
  how.worker = worker;
  return scheduled_executor(how);
}
/// The same.
[[nodiscard]] inline policy_executor with_hint(const policy_executor& executor, int worker) {
  return executor.with_worker(worker);
}
/// The worker for which the tasks of `executor` are; no_worker: any.
template <execution::detail::runs_scheduled Executor>
[[nodiscard]] constexpr int get_hint(const Executor& executor) noexcept {
  return execution::detail::scheduling_of(executor).worker;
}
/// The same.
[[nodiscard]] inline int get_hint(const policy_executor& executor) noexcept { return executor.worker(); }

/// The same executor; what it runs is called `name`, for tools and debuggers (annotation.hpp).
template <class Executor>
requires is_executor_v<Executor>
[[nodiscard]] auto with_annotation(const Executor& executor, std::string name) {
  return annotating_executor<Executor>(executor, std::move(name));
}
/// The same, under another name.
template <class Executor>
[[nodiscard]] auto with_annotation(const annotating_executor<Executor>& executor, std::string name) {
  return annotating_executor<Executor>(executor.annotated(), std::move(name));
}
/// The same policy, whose chunks are called `name`. In the place of the executor that the policy has.
template <class Policy>
requires is_execution_policy_v<Policy>
[[nodiscard]] auto with_annotation(const Policy& policy, std::string name) {
  return policy.on(annotating_executor<parallel_executor>(parallel_executor(), std::move(name)));
}
/// What the executor's or policy's calls are called; null: they have no name.
template <class Executor>
requires is_executor_v<Executor>
[[nodiscard]] constexpr const char* get_annotation(const Executor&) noexcept { return nullptr; }
/// The same.
template <class Executor>
[[nodiscard]] const char* get_annotation(const annotating_executor<Executor>& executor) noexcept {
  return executor.annotation();
}
/// The same.
template <class Policy>
requires is_execution_policy_v<Policy>
[[nodiscard]] constexpr const char* get_annotation(const Policy& policy) noexcept {
  return policy.settings().annotation;
}

}  // namespace experimental
}  // namespace amity::execution
