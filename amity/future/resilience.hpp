#pragma once

/// Tasks that may fail: begun again (replay), or several times at once (replicate), with HPX's names and meaning.
///
///     auto f = amity::async_replay(3, read_sensor, 7);                          // three tries at most
///     auto g = amity::async_replay_validate(3, is_plausible, read_sensor, 7);   // and a result must pass
///     auto h = amity::async_replicate_vote(3, majority, compute, input);       // all three, then majority(results)
///
/// A try fails if it throws, or if its result does not pass `valid(result)`. If all tries failed, the future holds the
/// exception of the last one that threw; if the last one's result did not pass, abort_replay_exception or
/// abort_replicate_exception. A call that throws abort_replay_exception itself ends the tries at once. Each try gets
/// copies of the arguments. The whole counts in the finish around it; a try does not, nor do the tasks that it begins:
/// if they fail and another try succeeds, the finish does not throw.

#include <exception>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "amity/future/async.hpp"

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

template <class Valid, class Call>
auto replay(std::size_t tries, Valid valid, Call call) {
  using result = decltype(call());
  return async([tries, valid = std::move(valid), call = std::move(call)]() mutable -> result {
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
template <class Call>
auto begin_replicas(std::size_t n, const Call& call) {
  using result = decltype(std::declval<Call&>()());
  std::vector<future<result>> all;
  all.reserve(n);
  outside_of_finish([&] {
    for (std::size_t i = 0; i < n; ++i) all.push_back(async(Call(call)));
  });
  return all;
}

/// What to say when no replica is good: what the last one threw that threw at all.
[[noreturn]] inline void throw_no_replica(const std::exception_ptr& error) {
  if (error != nullptr) std::rethrow_exception(error);
  throw abort_replicate_exception();
}

template <class Vote, class Valid, class Call>
auto replicate(std::size_t n, Vote vote, Valid valid, Call call) {
  using result = decltype(call());
  return async([n, vote = std::move(vote), valid = std::move(valid), call = std::move(call)]() mutable -> result {
    auto replicas = begin_replicas(n, call);
    for (auto& f : replicas) f.wait();
    std::exception_ptr error;
    if constexpr (std::is_void_v<result>) {
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
  return detail::replay(tries, detail::passes_all{},
                        detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}
/// The same; a result for which `valid(result)` does not hold is a failed try, too.
template <class Valid, class F, class... Args>
auto async_replay_validate(std::size_t tries, Valid&& valid, F&& f, Args&&... args) {
  return detail::replay(tries, std::decay_t<Valid>(std::forward<Valid>(valid)),
                        detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}

/// `n` times, as tasks beside one another. The first result, in the order of their making, that is good.
template <class F, class... Args>
auto async_replicate(std::size_t n, F&& f, Args&&... args) {
  return detail::replicate(n, detail::first_of_all{}, detail::passes_all{},
                           detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}
/// The same; good is what `valid(result)` holds for.
template <class Valid, class F, class... Args>
auto async_replicate_validate(std::size_t n, Valid&& valid, F&& f, Args&&... args) {
  return detail::replicate(n, detail::first_of_all{}, std::decay_t<Valid>(std::forward<Valid>(valid)),
                           detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}

/// The same, and `vote(std::vector<T>)` makes one result of all good ones.
template <class Vote, class F, class... Args>
auto async_replicate_vote(std::size_t n, Vote&& vote, F&& f, Args&&... args) {
  return detail::replicate(n, std::decay_t<Vote>(std::forward<Vote>(vote)), detail::passes_all{},
                           detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}
/// The same; good is what `valid(result)` holds for.
template <class Vote, class Valid, class F, class... Args>
auto async_replicate_vote_validate(std::size_t n, Vote&& vote, Valid&& valid, F&& f, Args&&... args) {
  return detail::replicate(n, std::decay_t<Vote>(std::forward<Vote>(vote)),
                           std::decay_t<Valid>(std::forward<Valid>(valid)),
                           detail::make_repeatable(std::forward<F>(f), std::forward<Args>(args)...));
}

}  // namespace amity
