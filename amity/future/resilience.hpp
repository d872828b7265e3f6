#pragma once

/// Tasks that may fail: begun again (replay), or several times at once (replicate), with HPX's names and meaning.
///
///     auto f = amity::async_replay(3, read_sensor, 7);                          // three tries at most
///     auto g = amity::async_replay_validate(3, is_plausible, read_sensor, 7);   // and a result must pass
///     auto h = amity::async_replicate_vote(3, majority, compute, input);       // all three, then majority(results)
///     auto i = amity::dataflow_replay(3, compute, std::move(h));               // when h is ready
///
/// A try fails if it throws, or if its result does not pass `valid(result)`. If all tries failed, the future holds the
/// exception of the last one that threw; if the last one's result did not pass, abort_replay_exception or
/// abort_replicate_exception. A call that throws abort_replay_exception itself ends the tries at once. Each try gets
/// copies of the arguments. The whole counts in the finish around it; a try does not, nor do the tasks that it begins:
/// if they fail and another try succeeds, the finish does not throw.

#include <concepts>
#include <exception>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "amity/future/async.hpp"
#include "amity/future/dataflow.hpp"

namespace amity {

/// No try gave a result that passed.
struct abort_replay_exception : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "amity: async_replay: no try succeeded"; }
};
/// What a future of async_replicate_validate holds if no result was good.
struct abort_replicate_exception : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "amity: async_replicate: no try succeeded"; }
};

namespace detail {

struct passes_all {
  template <class... T>
  constexpr bool operator()(const T&...) const noexcept {
    return true;
  }
};

/// A call that can be made again.
template <class F, class... Args>
struct repeatable {
  F f;
  std::tuple<Args...> arguments;
  decltype(auto) operator()() {
    return std::apply([this](auto... copies) -> decltype(auto) { return std::invoke(f, std::move(copies)...); },
                      arguments);
  }
};

/// Calls `f` outside of any finish: what a try throws, and what it begins, is its own affair.
template <class F>
decltype(auto) outside_of_finish(F&& f) {
  struct inside_again {
    worker& w;
    sched::scope* const within = std::exchange(w.current, nullptr);
    ~inside_again() { w.current = within; }
  } const at_end{sched::this_worker()};
  return f();
}

/// Begins calls as tasks, where no executor was named.
struct as_tasks {
  template <class F>
  auto run(F&& f) const {
    return async(std::forward<F>(f));
  }
};

template <class Executor, class Valid, class Call>
auto replay(const Executor& by, std::size_t tries, Valid valid, Call call) {
  using result = decltype(call());
  return by.run([tries, valid = std::move(valid), call = std::move(call)]() mutable -> result {
    for (std::size_t i = 1;; ++i) {
      bool const last = i >= tries;
      try {
        if (tries == 0) throw abort_replay_exception();
        if constexpr (std::is_void_v<result>) {
          outside_of_finish(call);
          if (valid()) return;
        } else {
          result made = outside_of_finish(call);
          if (valid(std::as_const(made))) return made;
        }
      } catch (const abort_replay_exception&) {
        throw;
      } catch (...) {
        if (last) throw;
        continue;
      }
      if (last) throw abort_replay_exception();
    }
  });
}

/// The futures of `n` equal calls.
template <class Executor, class Call>
auto begin_replicas(const Executor& by, std::size_t n, const Call& call) {
  using result = decltype(std::declval<Call&>()());
  std::vector<future<result>> all;
  all.reserve(n);
  outside_of_finish([&] {
    for (std::size_t i = 0; i < n; ++i) all.push_back(by.run(Call(call)));
  });
  return all;
}

/// What to say when no replica is good: what the last one threw that threw at all.
[[noreturn]] inline void throw_no_replica(const std::exception_ptr& error) {
  if (error != nullptr) std::rethrow_exception(error);
  throw abort_replicate_exception();
}

template <class Executor, class Vote, class Valid, class Call>
auto replicate(const Executor& by, std::size_t n, Vote vote, Valid valid, Call call) {
  using result = decltype(call());
  return async([by, n, vote = std::move(vote), valid = std::move(valid), call = std::move(call)]() mutable -> result {
    auto replicas = begin_replicas(by, n, call);
    for (auto& f : replicas) f.wait();
    std::exception_ptr error;
    if constexpr (std::is_void_v<result>) {
      static_cast<void>(vote);  // which clang finds unused
      bool good = false;
      for (auto& f : replicas) {
        try {
          f.get();
          if (valid()) good = true;
        } catch (...) {
          error = std::current_exception();
        }
      }
      if (!good) throw_no_replica(error);
    } else {
      std::vector<result> results;
      for (auto& f : replicas) {
        try {
          result made = f.get();
          if (valid(std::as_const(made))) results.push_back(std::move(made));
        } catch (...) {
          error = std::current_exception();
        }
      }
      if (results.empty()) throw_no_replica(error);
      return vote(std::move(results));
    }
  });
}

struct first_of_all {
  template <class T>
  T operator()(std::vector<T>&& results) const {
    return std::move(results.front());
  }
};

template <class F, class... Args>
repeatable<std::decay_t<F>, std::decay_t<Args>...> make_repeatable(F&& f, Args&&... args) {
  return {std::forward<F>(f), std::tuple<std::decay_t<Args>...>(std::forward<Args>(args)...)};
}

}  // namespace detail

/// At most `tries` times, until a call neither throws nor fails `valid`.
template <class F, class... Args>
auto async_replay(std::size_t tries, F&& f, Args&&... args) {
  return detail::replay(detail::as_tasks(), tries, detail::passes_all{},
                        detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}
/// The same; a result for which `valid(result)` does not hold is a failed try, too.
template <class Valid, class F, class... Args>
auto async_replay_validate(std::size_t tries, Valid&& valid, F&& f, Args&&... args) {
  return detail::replay(detail::as_tasks(), tries, std::decay_t<Valid>(std::forward<Valid>(valid)),
                        detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}

/// `n` times, as tasks beside one another. The first result, in the order of their making, that is good.
template <class F, class... Args>
auto async_replicate(std::size_t n, F&& f, Args&&... args) {
  return detail::replicate(detail::as_tasks(), n, detail::first_of_all{}, detail::passes_all{},
                           detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}
/// The same; good is what `valid(result)` holds for.
template <class Valid, class F, class... Args>
auto async_replicate_validate(std::size_t n, Valid&& valid, F&& f, Args&&... args) {
  return detail::replicate(detail::as_tasks(), n, detail::first_of_all{},
                           std::decay_t<Valid>(std::forward<Valid>(valid)),
                           detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}

/// The same, and `vote(std::vector<T>)` makes one result of all good ones.
template <class Vote, class F, class... Args>
auto async_replicate_vote(std::size_t n, Vote&& vote, F&& f, Args&&... args) {
  return detail::replicate(detail::as_tasks(), n, std::decay_t<Vote>(std::forward<Vote>(vote)), detail::passes_all{},
                           detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}
/// The same; good is what `valid(result)` holds for.
template <class Vote, class Valid, class F, class... Args>
auto async_replicate_vote_validate(std::size_t n, Vote&& vote, Valid&& valid, F&& f, Args&&... args) {
  return detail::replicate(detail::as_tasks(), n, std::decay_t<Vote>(std::forward<Vote>(vote)),
                           std::decay_t<Valid>(std::forward<Valid>(valid)),
                           detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}

// --- by an executor: the tries, or the replicas

/// async_replay, whose calls are made by an executor.
template <detail::runs_calls Executor, class F, class... Args>
auto async_replay(const Executor& executor, std::size_t tries, F&& f, Args&&... args) {
  return detail::replay(executor, tries, detail::passes_all{},
                        detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}
/// The same of async_replay_validate.
template <detail::runs_calls Executor, class Valid, class F, class... Args>
auto async_replay_validate(const Executor& executor, std::size_t tries, Valid&& valid, F&& f, Args&&... args) {
  return detail::replay(executor, tries, std::decay_t<Valid>(std::forward<Valid>(valid)),
                        detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}
/// The same of async_replicate.
template <detail::runs_calls Executor, class F, class... Args>
auto async_replicate(const Executor& executor, std::size_t n, F&& f, Args&&... args) {
  return detail::replicate(executor, n, detail::first_of_all{}, detail::passes_all{},
                           detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}
/// The same of async_replicate_validate.
template <detail::runs_calls Executor, class Valid, class F, class... Args>
auto async_replicate_validate(const Executor& executor, std::size_t n, Valid&& valid, F&& f, Args&&... args) {
  return detail::replicate(executor, n, detail::first_of_all{}, std::decay_t<Valid>(std::forward<Valid>(valid)),
                           detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}
/// The same of async_replicate_vote.
template <detail::runs_calls Executor, class Vote, class F, class... Args>
auto async_replicate_vote(const Executor& executor, std::size_t n, Vote&& vote, F&& f, Args&&... args) {
  return detail::replicate(executor, n, std::decay_t<Vote>(std::forward<Vote>(vote)), detail::passes_all{},
                           detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}
/// The same of async_replicate_vote_validate.
template <detail::runs_calls Executor, class Vote, class Valid, class F, class... Args>
auto async_replicate_vote_validate(const Executor& executor, std::size_t n, Vote&& vote, Valid&& valid, F&& f,
                                   Args&&... args) {
  return detail::replicate(executor, n, std::decay_t<Vote>(std::forward<Vote>(vote)),
                           std::decay_t<Valid>(std::forward<Valid>(valid)),
                           detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}

// --- when inputs are ready

namespace detail {

/// Calls `begin(f, inputs...)`, as what dataflow calls: with the values of the futures where `f` takes those, or with
/// the futures.
template <class Begin, class F>
struct begins_flow {
  Begin begin;
  F f;
  template <class... X>
  requires std::invocable<F&, std::decay_t<X>...>
  auto operator()(X&&... inputs) { return begin(std::move(f), std::forward<X>(inputs)...); }
};
template <class Begin, class F, class... Inputs>
auto flow(Begin begin, F&& f, Inputs&&... inputs) {
  return dataflow(begins_flow<Begin, std::decay_t<F>>{std::move(begin), std::forward<F>(f)},
                  std::forward<Inputs>(inputs)...);
}

}  // namespace detail

/// async_replay, begun when all futures among the inputs are ready; `f` gets their values, as dataflow's does. A try
/// copies what it gets: futures that `f` takes as futures must be shared ones.
template <class F, class... Inputs>
auto dataflow_replay(std::size_t tries, F&& f, Inputs&&... inputs) {
  return detail::flow([tries](auto&&... all) { return async_replay(tries, std::forward<decltype(all)>(all)...); },
                      std::forward<F>(f), std::forward<Inputs>(inputs)...);
}
/// The same of async_replay_validate.
template <class Valid, class F, class... Inputs>
auto dataflow_replay_validate(std::size_t tries, Valid&& valid, F&& f, Inputs&&... inputs) {
  return detail::flow(
      [tries, valid = std::decay_t<Valid>(std::forward<Valid>(valid))](auto&&... all) {
        return async_replay_validate(tries, valid, std::forward<decltype(all)>(all)...);
      },
      std::forward<F>(f), std::forward<Inputs>(inputs)...);
}
/// The same of async_replicate.
template <class F, class... Inputs>
auto dataflow_replicate(std::size_t n, F&& f, Inputs&&... inputs) {
  return detail::flow([n](auto&&... all) { return async_replicate(n, std::forward<decltype(all)>(all)...); },
                      std::forward<F>(f), std::forward<Inputs>(inputs)...);
}
/// The same of async_replicate_validate.
template <class Valid, class F, class... Inputs>
auto dataflow_replicate_validate(std::size_t n, Valid&& valid, F&& f, Inputs&&... inputs) {
  return detail::flow(
      [n, valid = std::decay_t<Valid>(std::forward<Valid>(valid))](auto&&... all) {
        return async_replicate_validate(n, valid, std::forward<decltype(all)>(all)...);
      },
      std::forward<F>(f), std::forward<Inputs>(inputs)...);
}
/// The same of async_replicate_vote.
template <class Vote, class F, class... Inputs>
auto dataflow_replicate_vote(std::size_t n, Vote&& vote, F&& f, Inputs&&... inputs) {
  return detail::flow([n, vote = std::decay_t<Vote>(std::forward<Vote>(vote))](
                          auto&&... all) { return async_replicate_vote(n, vote, std::forward<decltype(all)>(all)...); },
                      std::forward<F>(f), std::forward<Inputs>(inputs)...);
}
/// The same of async_replicate_vote_validate.
template <class Vote, class Valid, class F, class... Inputs>
auto dataflow_replicate_vote_validate(std::size_t n, Vote&& vote, Valid&& valid, F&& f, Inputs&&... inputs) {
  return detail::flow(
      [n, vote = std::decay_t<Vote>(std::forward<Vote>(vote)), valid = std::decay_t<Valid>(std::forward<Valid>(valid))](
          auto&&... all) { return async_replicate_vote_validate(n, vote, valid, std::forward<decltype(all)>(all)...); },
      std::forward<F>(f), std::forward<Inputs>(inputs)...);
}

/// HPX's names for them.
namespace resiliency::experimental {
using amity::abort_replay_exception;
using amity::abort_replicate_exception;
using amity::async_replay;
using amity::async_replay_validate;
using amity::async_replicate;
using amity::async_replicate_validate;
using amity::async_replicate_vote;
using amity::async_replicate_vote_validate;
using amity::dataflow_replay;
using amity::dataflow_replay_validate;
using amity::dataflow_replicate;
using amity::dataflow_replicate_validate;
using amity::dataflow_replicate_vote;
using amity::dataflow_replicate_vote_validate;
}  // namespace resiliency::experimental

}  // namespace amity
