#pragma once

/// Tasks of a block: all have ended when the block has. As the C++ Parallelism TS, version 2, and HPX have it.
///
///     amity::define_task_block([&](auto& block) {
///       block.run([&] { left = sum(first_half); });
///       right = sum(second_half);
///     });                                   // here both are done
///
/// A task may run more in the block. What they throw comes out of the block, or of its wait(), when all have ended, as
/// an exception_list.

#include <type_traits>
#include <utility>

#include "amity/algo/execution.hpp"
#include "amity/finish/task_group.hpp"

namespace amity {

template <class Policy = execution::parallel_policy>
class task_block;

namespace detail {
template <class Policy, class F>
void run_task_block(Policy policy, F&& f);
}

/// What define_task_block hands to its function, and makes alone.
template <class Policy>
class task_block {
 public:
  task_block(const task_block&) = delete;
  task_block& operator=(const task_block&) = delete;

  /// Begins `f(args...)` as a task of the block.
  template <class F, class... Args>
  void run(F&& f, Args&&... args) {
    group_.run(std::forward<F>(f), std::forward<Args>(args)...);
  }
  /// Waits for the tasks so far; the fiber waits, never the core. Throws an exception_list of what they threw.
  /// Requires: not a task of the block.
  void wait() { static_cast<void>(group_.wait()); }
  /// The policy that the block was defined with.
  [[nodiscard]] const Policy& get_execution_policy() const noexcept { return policy_; }

 private:
  explicit task_block(Policy policy) : policy_(std::move(policy)) {}
  template <class P, class F>
  friend void detail::run_task_block(P policy, F&& f);

  Policy policy_;
  experimental::task_group group_;
};

namespace detail {
template <class Policy, class F>
void run_task_block(Policy policy, F&& f) {
  task_block<Policy> block(std::move(policy));
  static_cast<void>(block.group_.run_and_wait([&] { std::forward<F>(f)(block); }));
}
}  // namespace detail

/// Calls `f(block)`, and waits for what it has run in the block. Throws an exception_list of what `f` and the tasks
/// threw. Blocks the fiber.
template <class F>
requires(!is_execution_policy_v<std::remove_cvref_t<F>>) void define_task_block(F&& f) {
  detail::run_task_block(execution::parallel_policy(), std::forward<F>(f));
}
/// The same; the policy is what get_execution_policy gives.
template <class Policy, class F>
requires is_execution_policy_v<std::remove_cvref_t<Policy>>
void define_task_block(Policy&& policy, F&& f) {
  detail::run_task_block(std::remove_cvref_t<Policy>(std::forward<Policy>(policy)), std::forward<F>(f));
}
/// The same: the caller goes on in its thread in any case.
template <class F>
requires(!is_execution_policy_v<std::remove_cvref_t<F>>) void define_task_block_restore_thread(F&& f) {
  define_task_block(std::forward<F>(f));
}
/// The same.
template <class Policy, class F>
requires is_execution_policy_v<std::remove_cvref_t<Policy>>
void define_task_block_restore_thread(Policy&& policy, F&& f) {
  define_task_block(std::forward<Policy>(policy), std::forward<F>(f));
}

}  // namespace amity
