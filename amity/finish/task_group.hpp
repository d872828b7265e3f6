#pragma once

/// Tasks that one waits for together, where a finish's block does not fit: begun here and there, waited for later.
///
///     amity::task_group group;
///     for (auto& part : parts) group.run([&part] { part.sort(); });
///     group.wait();                        // throws the first exception that one of them threw
///     group.run(...);                      // and again
///
/// Who made the group waits for it; its destructor waits too. The group's tasks may run more in it. What they begin by
/// async or post counts in the group too. A group belongs to no finish: its tasks are not waited for by the finish
/// around, and don't inherit its stop_token.
///
/// Memory ordering: what the tasks did happens before the return of wait().

#include <cstdint>
#include <stdexcept>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "amity/finish/finish.hpp"
#include "amity/future/plain_task.hpp"

namespace amity {

/// `canceled`: some of the tasks may not have been run.
enum class task_group_status : std::uint8_t { complete, canceled };

/// A finish as an object. Belongs to who made it, who alone waits for it.
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

  /// Begins `f(args...)` as a task of the group. From any thread, if it is sure that the owner does not wait in vain:
  /// the owner before it waits, and tasks of the group.
  template <class F, class... Args>
  requires(!detail::runs_calls<std::remove_cvref_t<F>>) void run(F&& f, Args&&... args) {
    if constexpr (sizeof...(Args) == 0)
      begin(std::forward<F>(f));
    else
      begin(detail::bind_call(std::forward<F>(f), std::forward<Args>(args)...));
  }

  /// The same, run by an executor.
  template <detail::runs_calls Executor, class F, class... Args>
  void run(const Executor& executor, F&& f, Args&&... args) {
    auto call = detail::bind_call(std::forward<F>(f), std::forward<Args>(args)...);
    begin([executor, call = std::move(call)]() mutable { static_cast<void>(executor.run(std::move(call))); });
  }

  /// Runs `f()` here, with what it begins by async and post in the group, and waits for the group.
  template <class F>
  task_group_status run_and_wait(F&& f) {
    detail::worker& w = owner();
    sched::scope* const outer = std::exchange(w.current, &scope_);
    try {
      static_cast<void>(f());
    } catch (...) {
      detail::report_error(&scope_, std::current_exception());
    }
    w.current = outer;
    return wait();
  }

  /// Waits for all; the fiber waits, never the core. Throws the first of what they threw, and std::logic_error if
  /// another thread has made the group.
  task_group_status wait() {
    sched::join(owner(), scope_, base_);
    if (scope_.elsewhere.load(std::memory_order_relaxed) != 0) [[unlikely]] {
      scope_.local = 0;  // nobody counts now; join() may have left the mark of one who waits
      scope_.elsewhere.store(0, std::memory_order_relaxed);
    }
    bool const was_canceled = is_canceling();
    if (was_canceled) [[unlikely]]
      scope_.canceled.store(false, std::memory_order_relaxed);
    if (scope_.errors.load(std::memory_order_acquire) != nullptr) [[unlikely]]  // pairs with report_error
      detail::rethrow_first(scope_);
    return was_canceled ? task_group_status::canceled : task_group_status::complete;
  }

  /// Tasks that have not begun will not be run, until the next wait() is over. Relaxed: a request, nothing more.
  void cancel() noexcept { scope_.canceled.store(true, std::memory_order_relaxed); }
  /// cancel() was called, and no wait() has ended since.
  [[nodiscard]] bool is_canceling() const noexcept { return scope_.canceled.load(std::memory_order_relaxed); }

 private:
  /// Never asked to stop; that a scope has one makes its tasks look whether it was canceled.
  inline static const std::stop_token unstoppable{};

  explicit task_group(detail::worker& w) noexcept : base_(w.queue.bottom()) {
    scope_.owner = &w;
    scope_.stop = &unstoppable;
  }

  template <class F>
  void begin(F&& f) {
    detail::worker& w = sched::this_worker();
    if (&w == scope_.owner) {  // what was queued before the group may have been run meanwhile
      std::uint32_t const bottom = w.queue.bottom();
      if (static_cast<std::int32_t>(bottom - base_) < 0) base_ = bottom;
    }
    sched::task& t = detail::new_plain_task(w, &scope_, std::forward<F>(f));
    sched::begin_within(&scope_, w);
    sched::enqueue(t, w);
  }

  [[nodiscard]] detail::worker& owner() const {
    if (sched::current_worker != scope_.owner) [[unlikely]]
      throw std::logic_error("amity::task_group: only who made the group may wait for it");
    return *scope_.owner;
  }

  sched::scope scope_;
  std::uint32_t base_;
};

/// HPX's name for it.
namespace experimental {
using amity::task_group;
}  // namespace experimental

}  // namespace amity
