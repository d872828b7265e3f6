#pragma once

/// A number of tasks that are waited for together, where a finish does not fit: the group is an object.
///
///     amity::task_group group;
///     group.run([&] { left = count(tree.left); });
///     group.run([&] { right = count(tree.right); });
///     group.wait();                                    // runs what nobody has begun; throws the first of what they
///     threw
///
/// Tasks of the group may run more of it. Only who made the group may wait for it; its destructor waits, too, and drops
/// what nobody has asked for. It may be used again after wait().

#include <functional>
#include <stdexcept>
#include <stop_token>
#include <utility>

#include "amity/finish/finish.hpp"

namespace amity {

enum class task_group_status : std::uint8_t { complete, canceled };

class task_group {
 public:
  task_group() : owner_(sched::this_worker()), base_(owner_.queue.bottom()) { open(); }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  ~task_group() {
    join();
    if (scope_.errors.load(std::memory_order_relaxed) != nullptr) static_cast<void>(detail::take_errors(scope_));
  }

  /// Begins `f(args...)` as a task of the group. From any thread, if it is sure that the owner does not wait in vain:
  /// the owner before it waits, and tasks of the group.
  template <class F, class... Args>
  void run(F&& f, Args&&... args) {
    within const here(scope_);
    if (&here.w == &owner_) {  // what was queued before the group may have been run meanwhile
      std::uint32_t const bottom = owner_.queue.bottom();
      if (static_cast<std::int32_t>(bottom - base_) < 0) base_ = bottom;
    }
    post(std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// Waits until the group has no tasks left. Throws the first of what they threw. `canceled`: some may not have been
  /// run. Throws std::logic_error if another thread has made the group.
  task_group_status wait() {
    if (&sched::this_worker() != &owner_)
      throw std::logic_error("amity::task_group: only who made the group may wait for it");
    join();
    bool const was_canceled = is_canceling();
    if (was_canceled) stop_ = std::stop_source();
    open();
    if (scope_.errors.load(std::memory_order_acquire) != nullptr) [[unlikely]]
      detail::rethrow_first(scope_);
    return was_canceled ? task_group_status::canceled : task_group_status::complete;
  }

  /// The last task is run here and now.
  template <class F>
  task_group_status run_and_wait(F&& f) {
    {
      within const here(scope_);
      try {
        std::invoke(std::forward<F>(f));
      } catch (...) {
        detail::report_error(&scope_, std::current_exception());
      }
    }
    return wait();
  }

  /// Tasks that have not begun will not be run, until the next wait() is over.
  void cancel() noexcept { stop_.request_stop(); }
  [[nodiscard]] bool is_canceling() const noexcept { return stop_.stop_requested(); }

 private:
  /// Makes the group the scope of new tasks for a while.
  struct within {
    sched::worker& w;
    sched::scope* outer;
    explicit within(sched::scope& s) noexcept : w(sched::this_worker()), outer(std::exchange(w.current, &s)) {}
    within(const within&) = delete;
    within& operator=(const within&) = delete;
    ~within() { w.current = outer; }
  };

  void join() noexcept { sched::join(owner_, scope_, base_); }

  /// As new; what was thrown stays. Nobody else knows the scope now.
  void open() noexcept {
    token_ = stop_.get_token();
    scope_.owner = &owner_;
    scope_.outer = owner_.current;
    scope_.stop = &token_;
    scope_.local = 0;
    scope_.elsewhere.store(0, std::memory_order_relaxed);  // whom to tell of it, tasks will
  }

  sched::worker& owner_;
  std::uint32_t base_;
  std::stop_source stop_;
  std::stop_token token_;
  sched::scope scope_;
};

}  // namespace amity
