#pragma once

/// Tasks that are waited for together, if a finish's block does not fit: begun here and there, waited for later.
///
///     amity::task_group group;
///     for (auto& part : parts) group.run([&part] { part.sort(); });
///     group.wait();                        // throws the first exception that one of them threw
///     group.run(...);                      // and again
///
/// The group's tasks may run more in it, and what they begin by async or post counts in it. The destructor waits, too.
/// A group belongs to no finish: its tasks are not waited for by the finish around, and don't inherit its stop_token.
///
/// Any thread and any task may run and wait, several at a time, but for the group's own tasks, which would wait for
/// themselves. experimental::task_group throws all exceptions, as HPX's does. Cheapest for the group's maker: what it
/// makes and ends is counted without atomic operations, until another thread waits (which takes that thread a few
/// microseconds), and again from the maker's own next wait on.
///
/// Memory ordering: what the tasks did happens before the return of wait().

#include <cstdint>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "amity/finish/exception_list.hpp"
#include "amity/finish/finish.hpp"
#include "amity/future/plain_task.hpp"
#include "amity/sync/mutex.hpp"

namespace amity {

/// `canceled`: some of the tasks may not have been run.
enum class task_group_status : std::uint8_t { complete, canceled };

/// A finish as an object, for which any thread may wait.
class task_group {
 public:
  task_group() : task_group(sched::this_worker()) {}
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// Waits. What was thrown since the last wait() is dropped. Requires: no other thread is in wait(), or will be.
  ~task_group() {
    if (detail::worker& w = sched::this_worker(); !sched::join_as_maker(w, scope_, base_)) [[unlikely]]
      static_cast<void>(join_slowly(w));
    if (scope_.errors.load(std::memory_order_acquire) != nullptr) [[unlikely]]
      static_cast<void>(detail::take_errors(scope_));
  }

  /// Begins `f(args...)` as a task of the group. From any thread; a wait() that has begun already may return without
  /// it, unless a task of the group is the caller.
  template <class F, class... Args>
  requires(!detail::runs_calls<std::remove_cvref_t<F>>) void run(F&& f, Args&&... args) {
    begin(std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// The same, run by an executor. One that runs calls in place does so before this returns.
  template <detail::runs_calls Executor, class F, class... Args>
  void run(const Executor& executor, F&& f, Args&&... args) {
    auto call = detail::bind_call(std::forward<F>(f), std::forward<Args>(args)...);
    if constexpr (detail::runs_in_place<Executor>) {
      detail::worker& w = sched::this_worker();
      sched::scope* const outer =
          std::exchange(w.current, &scope_);  // the call counts in it, and tells it what it throws
      auto error = detail::caught([&] { static_cast<void>(executor.run(std::move(call))); });
      w.current = outer;
      if (error != nullptr) std::rethrow_exception(std::move(error));  // it was not made
      return;
    }
    begin([executor, call = std::move(call)]() mutable { static_cast<void>(executor.run(std::move(call))); });
  }

  /// Runs `f()` here, with what it begins by async and post in the group, and waits for the group.
  template <class F>
  task_group_status run_and_wait(F&& f) {
    run_here(std::forward<F>(f));
    return wait();
  }

  /// Waits for all; the fiber waits, never the core. Throws the first of what they threw; if several threads wait, one
  /// of them gets it. Requires: not a task of the group.
  task_group_status wait() {
    return wait_and([](const std::vector<std::exception_ptr>& errors) { std::rethrow_exception(errors.front()); });
  }

  /// Tasks that have not begun will not be run, until the next wait() is over; if several threads wait, until all are.
  /// Relaxed: a request, nothing more.
  void cancel() noexcept { scope_.canceled.store(true, std::memory_order_relaxed); }
  /// cancel() was called, and no wait() has ended since.
  [[nodiscard]] bool is_canceling() const noexcept { return scope_.canceled.load(std::memory_order_relaxed); }

 protected:
  /// Waits, and has `report(errors)` throw what was thrown, if something was.
  template <class Report>
  task_group_status wait_and(Report report) {
    bool const was_canceled = join();
    if (scope_.errors.load(std::memory_order_acquire) != nullptr) [[unlikely]] {  // pairs with report_error
      auto const errors = detail::take_errors(scope_);
      if (!errors.empty()) report(errors);  // else another who waits has got them
    }
    return was_canceled ? task_group_status::canceled : task_group_status::complete;
  }

  /// Calls `f()` as a task of the group.
  template <class F>
  void run_here(F&& f) {
    detail::worker& w = sched::this_worker();
    sched::scope* const outer = std::exchange(w.current, &scope_);
    try {
      static_cast<void>(f());
    } catch (const abi::__forced_unwind&) {  // the thread ends
      w.current = outer;
      static_cast<void>(join());
      throw;
    } catch (...) {
      detail::report_error(&scope_, std::current_exception());
    }
    w.current = outer;
  }

 private:
  /// `maker` is stored relaxed: other threads that see the group were told of it by this one. Because the scope has a
  /// `stop`, its tasks look whether it was canceled.
  explicit task_group(detail::worker& w) noexcept : base_(w.queue.bottom()), home_(&w) {
    scope_.stop = &detail::unstoppable;
    scope_.when_empty = &task_group::tell;
    scope_.maker.store(&w, std::memory_order_relaxed);  // nobody else knows it yet
  }

  template <class F, class... Args>
  void begin(F&& f, Args&&... args) {
    detail::worker& w = sched::this_worker();
    using closure = detail::closure_of<F, Args...>;
    sched::task& t = detail::make_plain_task<closure>(w, &scope_, std::forward<F>(f), std::forward<Args>(args)...);
    if (sched::detail::count_as_maker(scope_, w, 1)) [[likely]] {
      // What was queued before the group may have been run meanwhile.
      std::uint32_t const bottom = w.queue.bottom();
      if (static_cast<std::int32_t>(bottom - base_) < 0) base_ = bottom;
    } else {
      scope_.elsewhere.fetch_add(sched::scope::one, std::memory_order_relaxed);  // as in begin_within
    }
    sched::enqueue(t, w);
  }

  /// Waits; says whether the group was canceled, and ends that.
  bool join() {
    detail::worker& w = sched::this_worker();
    if (!sched::join_as_maker(w, scope_, base_)) [[unlikely]]
      return join_slowly(w);
    bool const was_canceled = is_canceling();
    if (was_canceled) [[unlikely]]
      scope_.canceled.store(false, std::memory_order_relaxed);
    return was_canceled;
  }

  /// The same for any thread, where some tasks are left.
  AMITY_API bool join_slowly(detail::worker& w);
  /// The last task of a shared group has ended. It may be gone: only its address is used.
  AMITY_API static void tell(sched::scope& s) noexcept;

  std::uint32_t base_;          ///< where the group's tasks begin in the maker's queue; the maker's own
  detail::worker* const home_;  ///< of the thread that made the group: the maker, while no other thread waits
  sched::scope scope_;          ///< behind what the maker uses all the time: others write to its end
  sync::mutex lock_;            ///< guards who is the maker, and `waiting_`
  std::uint32_t waiting_ = 0;   ///< those in join_slowly
};

namespace experimental {

/// HPX's: the same, but for what is thrown: all that its tasks threw, as an exception_list.
class task_group : public amity::task_group {
 public:
  /// As amity::task_group's; throws an exception_list.
  task_group_status wait() { return wait_and(detail::throw_list); }
  /// As amity::task_group's; throws an exception_list.
  template <class F>
  task_group_status run_and_wait(F&& f) {
    run_here(std::forward<F>(f));
    return wait();
  }
};

}  // namespace experimental

}  // namespace amity
