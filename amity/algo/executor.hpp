#pragma once

/// Executors: which threads do the work. `par.on(executor)` for algorithms; async(executor, f, ...) and post for single
/// tasks, x.then(executor, f), dataflow(executor, f, ...) and task_group::run(executor, f, ...) as well.
///
///     amity::execution::limiting_executor two(amity::execution::parallel_executor(), 2);
///     amity::for_each(par.on(two), files.begin(), files.end(), load);     // at most two at a time
///
/// There is one pool of workers. So an executor owns no thread; it is a small value that says how the pool is used. A
/// policy_executor keeps its tasks, and those that they make, in queues of its own.
///
///     amity::execution::policy_executor in_turn("static");
///     auto f = amity::async(in_turn.with(amity::task_priority::high), work);

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "amity/algo/annotation.hpp"
#include "amity/algo/chunk_size.hpp"
#include "amity/future/async.hpp"
#include "amity/sync/semaphore.hpp"

namespace amity::execution {

/// By all workers.
class parallel_executor {
 public:
  static constexpr void put(algo::settings&) noexcept {}
  template <class F>
  auto run(F&& f) const {
    return amity::async(std::forward<F>(f));
  }
};

/// HPX's name for the one that uses the whole pool.
using thread_pool_executor = parallel_executor;

/// By the caller, in order, here and now. What follows a future is run at once by the thread that makes that ready.
class sequenced_executor {
 public:
  /// A call has ended when the executor has taken it.
  static constexpr bool runs_in_place = true;
  static constexpr void put(algo::settings& s) noexcept { s.alone = true; }
  template <class F>
  auto run(F&& f) const {
    return amity::async(launch::sync, std::forward<F>(f));
  }
};

/// One chunk for each of the workers, or of `cores` of them: for regular loops one after the other.
class fork_join_executor {
 public:
  /// `cores`: workers; 0: all there are.
  constexpr explicit fork_join_executor(unsigned cores = 0) noexcept : cores_(cores) {}
  constexpr void put(algo::settings& s) const noexcept {
    if (s.how == algo::chunking::automatic) s.how = algo::chunking::equal;
    if (cores_ != 0) s.at_most = cores_;
  }
  template <class F>
  auto run(F&& f) const {
    return amity::async(std::forward<F>(f));
  }

 private:
  unsigned cores_;
};

/// As another executor, but at most `limit` at a time: chunks of one algorithm, or tasks begun by copies of this one. A
/// caller that begins one more than that waits until one has ended.
template <puts_settings Executor>
class limiting_executor {
 public:
  /// As the executor's that it hands calls to.
  static constexpr bool runs_in_place = amity::detail::runs_in_place<Executor>;
  /// At most `limit` at a time, by `executor`; 0 counts as 1.
  limiting_executor(Executor executor, unsigned limit)
      : executor_(std::move(executor)),
        limit_(limit == 0 ? 1 : limit),
        free_(std::make_shared<sync::semaphore>(static_cast<std::ptrdiff_t>(limit_))) {}
  /// The same with an executor made by default.
  explicit limiting_executor(unsigned limit) : limiting_executor(Executor(), limit) {}

  void put(algo::settings& s) const noexcept {
    executor_.put(s);
    if (s.at_most == 0 || limit_ < s.at_most) s.at_most = limit_;
  }
  [[nodiscard]] std::shared_ptr<const void> kept() const noexcept requires keeps_something<Executor> {
    return executor_.kept();
  }
  template <class F>
  auto run(F&& f) const {
    free_->acquire();
    struct slot {
      explicit slot(std::shared_ptr<sync::semaphore> s) noexcept : of(std::move(s)) {}
      slot(slot&&) noexcept = default;
      ~slot() {
        if (of != nullptr) of->release();
      }
      std::shared_ptr<sync::semaphore> of;
    };
    return executor_.run([taken = slot(free_), f = std::forward<F>(f)]() mutable -> decltype(auto) { return f(); });
  }

 private:
  Executor executor_;
  unsigned limit_;
  std::shared_ptr<sync::semaphore> free_;
};

/// As another executor; what it runs carries a name.
template <puts_settings Executor>
class annotating_executor {
 public:
  /// As the executor's that it hands calls to.
  static constexpr bool runs_in_place = amity::detail::runs_in_place<Executor>;
  /// What `executor` runs is called `name`.
  annotating_executor(Executor executor, std::string name)
      : executor_(std::move(executor)), name_(std::make_shared<const std::string>(std::move(name))) {}
  /// The same with an executor made by default.
  explicit annotating_executor(std::string name) : annotating_executor(Executor(), std::move(name)) {}

  void put(algo::settings& s) const noexcept {
    executor_.put(s);
    s.annotation = name_->c_str();
  }
  /// The executor that it hands calls to.
  [[nodiscard]] const Executor& annotated() const noexcept { return executor_; }
  /// The name that its calls carry; as long as it or a copy of it lives.
  [[nodiscard]] const char* annotation() const noexcept { return name_->c_str(); }
  [[nodiscard]] std::shared_ptr<const void> kept() const {
    if constexpr (keeps_something<Executor>)
      return std::make_shared<const std::pair<std::shared_ptr<const void>, std::shared_ptr<const std::string>>>(
          executor_.kept(), name_);
    else
      return name_;
  }
  template <class F>
  auto run(F&& f) const {
    return executor_.run([name = name_, f = std::forward<F>(f)]() mutable -> decltype(auto) {
      scoped_annotation const named(name->c_str());
      return f();
    });
  }

 private:
  Executor executor_;
  std::shared_ptr<const std::string> name_;
};

/// By the pool's workers in the order of a scheduling policy; copies are the same executor. What its tasks make by
/// async and post, and the parallel algorithms that they call, are its as well. An algorithm as a whole is run so:
/// async(executor, [&] { amity::sort(par, ...); }).get().
class policy_executor {
 public:
  /// Tasks go where they always go.
  policy_executor() noexcept = default;
  /// Throws std::invalid_argument, with the names that there are, if there is no such policy.
  explicit policy_executor(std::string_view policy, const policy_options& options = {})
      : kept_(open(policy, options), sched::leave_domain) {
    how_.where = kept_.get();
  }

  /// The same queues, for tasks of another priority.
  [[nodiscard]] policy_executor with(task_priority priority) const {
    policy_executor other(*this);
    other.how_.priority = priority;
    return other;
  }
  /// Or for a worker.
  [[nodiscard]] policy_executor with_worker(int worker) const {
    policy_executor other(*this);
    other.how_.worker = worker;
    return other;
  }

  /// Of its tasks.
  [[nodiscard]] task_priority priority() const noexcept { return how_.priority; }
  /// The worker for which its tasks are; no_worker: any.
  [[nodiscard]] int worker() const noexcept { return how_.worker; }

  template <class F>
  auto run(F&& f) const {
    return amity::async(how_, std::forward<F>(f));
  }

 private:
  static sched::domain* open(std::string_view policy, const policy_options& options) {
    if (sched::domain* d = sched::open_domain(policy, options)) return d;
    throw std::invalid_argument(
        "amity::execution::policy_executor: '" + std::string(policy) +
        "' is not the name of a scheduling policy, or can't be made; there are: " + policy_names());
  }

  std::shared_ptr<sched::domain> kept_;
  scheduling how_;
};

/// Whether T is one of the executors here.
template <class T>
inline constexpr bool is_executor_v = false;
template <>
inline constexpr bool is_executor_v<policy_executor> = true;
template <>
inline constexpr bool is_executor_v<parallel_executor> = true;
template <>
inline constexpr bool is_executor_v<sequenced_executor> = true;
template <>
inline constexpr bool is_executor_v<fork_join_executor> = true;
template <class E>
inline constexpr bool is_executor_v<limiting_executor<E>> = true;
template <class E>
inline constexpr bool is_executor_v<annotating_executor<E>> = true;

/// HPX's names for them.
namespace experimental {
using execution::annotating_executor;
using execution::fork_join_executor;
using execution::limiting_executor;
using execution::thread_pool_executor;
}  // namespace experimental

}  // namespace amity::execution

namespace amity {

/// A future of `f(args...)`, run by `executor`.
template <class Executor, class F, class... Args>
requires execution::is_executor_v<Executor>
auto async(const Executor& executor, F&& f, Args&&... args) {
  return executor.run(detail::bind_call(std::forward<F>(f), std::forward<Args>(args)...));
}

/// The same, for what gives no result. It counts in the finish around it, which gets what it throws.
template <class Executor, class F, class... Args>
requires execution::is_executor_v<Executor>
void post(const Executor& executor, F&& f, Args&&... args) {
  static_cast<void>(async(executor, std::forward<F>(f), std::forward<Args>(args)...));
}

}  // namespace amity
