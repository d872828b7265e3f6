#pragma once

/// Executors whose calls may fail: each call is made again (replay), or several times at once (replicate), as by
/// async_replay and async_replicate (future/resilience.hpp). For async and post.
///
///     namespace r = amity::resiliency::experimental;
///     auto by = r::make_replay_executor(amity::execution::parallel_executor(), 3);
///     auto f = amity::async(by, read_sensor, 7);                                   // three tries at most

#include <cstddef>
#include <type_traits>
#include <utility>

#include "amity/algo/executor.hpp"
#include "amity/future/resilience.hpp"

namespace amity::execution {

namespace detail {

/// A call of one time, for several: each try makes it with a copy.
template <class F>
auto once_each(F&& f) {
  static_assert(std::is_copy_constructible_v<std::decay_t<F>>,
                "a call that may be made again needs a function and arguments that can be copied");
  return [f = std::forward<F>(f)]() -> decltype(auto) {
    auto copy = f;
    return std::move(copy)();
  };
}

}  // namespace detail

/// Makes each call at most `tries` times by another executor, until it neither throws nor gives a result for which
/// `valid(result)` does not hold. Functions and arguments must be copyable.
template <class Executor, class Valid = amity::detail::passes_all>
class replay_executor {
 public:
  /// The same as async_replay_validate's.
  replay_executor(Executor executor, std::size_t tries, Valid valid = {})
      : executor_(std::move(executor)), tries_(tries), valid_(std::move(valid)) {}

  template <class F>
  auto run(F&& f) const {
    return async_replay_validate(executor_, tries_, valid_, detail::once_each(std::forward<F>(f)));
  }

 private:
  Executor executor_;
  std::size_t tries_;
  Valid valid_;
};

/// Makes each call `n` times by another executor, and gives what `vote` makes of the results for which `valid(result)`
/// holds. Functions and arguments must be copyable.
template <class Executor, class Vote = amity::detail::first_of_all, class Valid = amity::detail::passes_all>
class replicate_executor {
 public:
  /// The same as async_replicate_vote_validate's.
  replicate_executor(Executor executor, std::size_t n, Vote vote = {}, Valid valid = {})
      : executor_(std::move(executor)), n_(n), vote_(std::move(vote)), valid_(std::move(valid)) {}

  template <class F>
  auto run(F&& f) const {
    return async_replicate_vote_validate(executor_, n_, vote_, valid_, detail::once_each(std::forward<F>(f)));
  }

 private:
  Executor executor_;
  std::size_t n_;
  Vote vote_;
  Valid valid_;
};

template <class E, class V>
inline constexpr bool is_executor_v<replay_executor<E, V>> = true;
template <class E, class V, class W>
inline constexpr bool is_executor_v<replicate_executor<E, V, W>> = true;

}  // namespace amity::execution

namespace amity::resiliency::experimental {

using execution::replay_executor;
using execution::replicate_executor;

/// An executor that makes each call at most `tries` times by `executor`.
template <class Executor>
auto make_replay_executor(const Executor& executor, std::size_t tries) {
  return execution::replay_executor<Executor>(executor, tries);
}
/// The same; a result for which `valid(result)` does not hold is a failed try, too.
template <class Executor, class Valid>
auto make_replay_executor(const Executor& executor, std::size_t tries, Valid&& valid) {
  return execution::replay_executor<Executor, std::decay_t<Valid>>(executor, tries, std::forward<Valid>(valid));
}

/// An executor that makes each call `n` times by `executor`, and gives the first good result.
template <class Executor>
auto make_replicate_executor(const Executor& executor, std::size_t n) {
  return execution::replicate_executor<Executor>(executor, n);
}
/// The same; good is what `valid(result)` holds for.
template <class Executor, class Valid>
auto make_replicate_executor(const Executor& executor, std::size_t n, Valid&& valid) {
  return execution::replicate_executor<Executor, amity::detail::first_of_all, std::decay_t<Valid>>(
      executor, n, {}, std::forward<Valid>(valid));
}
/// The same, with what `vote(std::vector<T>)` makes of all good results.
template <class Executor, class Vote, class Valid>
auto make_replicate_executor(const Executor& executor, std::size_t n, Vote&& vote, Valid&& valid) {
  return execution::replicate_executor<Executor, std::decay_t<Vote>, std::decay_t<Valid>>(
      executor, n, std::forward<Vote>(vote), std::forward<Valid>(valid));
}

}  // namespace amity::resiliency::experimental
