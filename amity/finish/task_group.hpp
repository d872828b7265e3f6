#pragma once

/// Tasks that one waits for together, where a finish's block does not fit: begun here and there, waited for later.
///
///     amity::task_group group;
///     for (auto& part : parts) group.run([&part] { part.sort(); });
///     group.wait();                        // throws the first exception that one of them threw
///     group.run(...);                      // and again
///
/// A group belongs to the thread that made it: that one runs and waits. The group's tasks may run more in it. What they
/// begin by async or post counts in the group too. A group belongs to no finish: its tasks are not waited for by the
/// finish around, and don't inherit its stop_token.
///
/// Memory ordering: what the tasks did happens before the return of wait().

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "amity/finish/finish.hpp"
#include "amity/future/plain_task.hpp"

namespace amity {

class task_group {
 public:
  task_group() : task_group(sched::this_worker()) {}
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// Waits. What was thrown since the last wait() is dropped. Requires: the thread that made the group.
  ~task_group() {
    sched::join(*scope_.owner, scope_, base_);
    if (scope_.errors.load(std::memory_order_acquire) != nullptr) [[unlikely]]
      static_cast<void>(detail::take_errors(scope_));
  }

  /// Begins `f()` as a task of the group. By the thread that made it, or by a task of the group.
  template <class F>
  requires std::is_invocable_v < std::decay_t<F>
  & > void run(F&& f) {
    detail::worker& w = sched::this_worker();
    sched::task& t = detail::new_plain_task(w, &scope_, std::forward<F>(f));
    sched::begin_within(&scope_, w);
    sched::enqueue(t, w);
  }

  /// The same with arguments, which the task keeps.
  template <class F, class... Args>
  requires(sizeof...(Args) > 0 &&
           std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>) void run(F&& f, Args&&... args) {
    run(detail::bind_call(std::forward<F>(f), std::forward<Args>(args)...));
  }

  /// Runs `f()` here, with what it begins by async and post in the group, and waits for the group.
  template <class F>
  requires std::is_invocable_v<F&>
  void run_and_wait(F&& f) {
    detail::worker& w = owner();
    sched::scope* const outer = std::exchange(w.current, &scope_);
    try {
      static_cast<void>(f());
    } catch (...) {
      detail::report_error(&scope_, std::current_exception());
    }
    w.current = outer;
    wait();
  }

  /// Waits for all; the fiber waits, never the core. Throws the first of what they threw.
  void wait() {
    sched::join(owner(), scope_, base_);
    if (scope_.elsewhere.load(std::memory_order_relaxed) != 0) [[unlikely]] {
      scope_.local = 0;  // nobody counts now; join() may have left the mark of one who waits
      scope_.elsewhere.store(0, std::memory_order_relaxed);
    }
    if (scope_.errors.load(std::memory_order_acquire) != nullptr) [[unlikely]]  // pairs with report_error
      detail::rethrow_first(scope_);
  }

 private:
  explicit task_group(detail::worker& w) noexcept : base_(w.queue.bottom()) { scope_.owner = &w; }

  [[nodiscard]] detail::worker& owner() const {
    if (sched::current_worker != scope_.owner) [[unlikely]]
      throw std::logic_error("amity: task_group: waited for by another thread than the one that made it");
    return *scope_.owner;
  }

  sched::scope scope_;
  std::uint32_t base_;
};

}  // namespace amity
