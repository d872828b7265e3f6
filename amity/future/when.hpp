#pragma once

/// Futures of futures: ready when all of them are, or some, or one.
///
///     for (auto& f : amity::when_all(std::move(many)).get()) total += f.get();
///     auto first = amity::when_any(std::move(left), std::move(right)).get();      // first.index says which
///
/// Futures that are given by name are taken over, as in HPX; shared ones are copied.

#include <atomic>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "amity/base/later.hpp"
#include "amity/future/dataflow.hpp"

namespace amity {

namespace detail {

template <class Iterator>
concept is_iterator_of_futures = is_future_v<decltype(*std::declval<Iterator&>())>;

template <class Iterator>
[[nodiscard]] auto collected(Iterator first, Iterator last) {
  std::vector<std::remove_cvref_t<decltype(*first)>> futures;
  for (; first != last; ++first) futures.push_back(acquired(*first));
  return futures;
}
template <class Iterator>
[[nodiscard]] auto collected_n(Iterator first, std::size_t n) {
  std::vector<std::remove_cvref_t<decltype(*first)>> futures;
  for (; n != 0; --n, ++first) futures.push_back(acquired(*first));
  return futures;
}

}  // namespace detail

/// A future of the futures, all ready: of a vector as a vector, and so of a list, a deque or an array.
template <class Vector>
requires detail::is_container_of_futures_v<Vector>
[[nodiscard]] auto when_all(Vector&& futures) {
  detail::state_list const states(futures);
  auto kept = detail::acquired(std::forward<Vector>(futures));
  auto all = [kept = std::move(kept)]() mutable { return std::move(kept); };
  return detail::call_when_ready(detail::resume::at_once, states, detail::as_glue{std::move(all)});
}
/// Of several as a tuple.
template <class... Futures>
requires(sizeof...(Futures) != 0 && (detail::is_future_v<Futures> && ...))
    [[nodiscard]] auto when_all(Futures&&... futures) {
  detail::state_list const states(futures...);
  std::tuple<std::remove_cvref_t<Futures>...> kept(detail::acquired(std::forward<Futures>(futures))...);
  return detail::call_when_ready(detail::resume::at_once, states,
                                 detail::as_glue{[kept = std::move(kept)]() mutable { return std::move(kept); }});
}
/// Of those in [first, last) as a vector.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator>
[[nodiscard]] auto when_all(Iterator first, Iterator last) { return when_all(detail::collected(first, last)); }
/// Of none: ready.
template <class = void>  // of nothing (base/README.md, I1)
[[nodiscard]] future<std::tuple<>> when_all() {
  return make_ready_future(std::tuple<>());
}
/// Of the n from first on as a vector.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator>
[[nodiscard]] auto when_all_n(Iterator first, std::size_t n) { return when_all(detail::collected_n(first, n)); }

/// What when_any gives.
template <class Sequence>
struct when_any_result {
  std::size_t index;  ///< of the one that was ready first
  /// All of them, as they were given.
  Sequence futures;
};
/// What when_some gives.
template <class Sequence>
struct when_some_result {
  std::vector<std::size_t> indices;  ///< of those that were ready first
  /// All of them, as they were given.
  Sequence futures;
};

namespace detail {

/// Counts until `wanted` of several states are complete, then calls `done`. Lives until the last of them is. A template
/// of nothing (base/README.md, I1).
template <class>
class basic_race {
 public:
  /// `done(indices)` is called once, by whoever completes the last one wanted, or in here.
  template <class Done>
  static void start(std::span<state* const> states, std::size_t wanted, Done done) {
    struct with_done final : basic_race {
      explicit with_done(Done&& d) : call(std::move(d)) {}
      void finish(std::vector<std::size_t> indices) override { call(std::move(indices)); }
      Done call;
    };
    auto* const r = new with_done(std::move(done));
    r->begin(states, wanted < states.size() ? wanted : states.size());
  }
  virtual ~basic_race() = default;

 private:
  struct link : waiter {
    basic_race* owner = nullptr;
    std::size_t index = 0;
  };
  static constexpr std::uint64_t registered = std::uint64_t{1} << 40;

  virtual void finish(std::vector<std::size_t> indices) = 0;

  void begin(std::span<state* const> states, std::size_t wanted) {
    wanted_ = wanted;
    order_ = std::make_unique<std::atomic<std::size_t>[]>(states.size() + 1);
    links_ = std::make_unique<link[]>(states.size());
    references_.store(states.size() + 1, std::memory_order_relaxed);
    for (std::size_t i = 0; i < states.size(); ++i) {
      links_[i].owner = this;
      links_[i].index = i;
      links_[i].ready = [](waiter& w) noexcept {
        auto& l = static_cast<link&>(w);
        l.owner->arrive(l.index);
      };
      if (states[i] != nullptr && is_deferred(*states[i])) {
        if (places_.load(std::memory_order_relaxed) >= wanted) {  // nobody needs it
          leave();
          continue;
        }
        begin_deferred(*states[i]);
      }
      if (states[i] == nullptr || !add_waiter(*states[i], links_[i])) arrive(i);
    }
    // The futures are not given away while they are looked at here.
    count(registered);
    leave();
  }

  void arrive(std::size_t index) {
    order_[places_.fetch_add(1, std::memory_order_relaxed)].store(index + 1, std::memory_order_release);
    count(1);
    leave();
  }

  void count(std::uint64_t amount) {
    std::uint64_t const enough = registered + wanted_;
    // Acquire and release: the thread that brings it to `enough` knows of all that arrived.
    std::uint64_t const before = count_.fetch_add(amount, std::memory_order_acq_rel);
    if (before >= enough || before + amount < enough) return;
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; indices.size() < wanted_; ++i) {
      std::size_t index;
      // One that has its place and has not written yet is counted later than those that have.
      while ((index = order_[i].load(std::memory_order_acquire)) == 0) base::cpu_relax();
      indices.push_back(index - 1);
    }
    finish(std::move(indices));
  }

  void leave() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  std::size_t wanted_ = 0;
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::size_t> places_{0}, references_{0};
  std::unique_ptr<std::atomic<std::size_t>[]> order_;  ///< index + 1 of those that arrived, in order
  std::unique_ptr<link[]> links_;
};

using race = basic_race<void>;

/// Ready when `wanted` of the futures in a vector, or a tuple, are: a Result of the indices of those and of all.
template <class Result, class Sequence>
future<Result> race_of(std::size_t wanted, const state_list& states, Sequence futures) {
  promise<Result> p;
  auto result = p.get_future();
  race::start(states, wanted,
              [p = std::move(p), futures = std::move(futures)](std::vector<std::size_t> indices) mutable {
                if constexpr (std::is_same_v<Result, when_some_result<Sequence>>)
                  p.set_value({std::move(indices), std::move(futures)});
                else
                  p.set_value({indices.empty() ? static_cast<std::size_t>(-1) : indices[0], std::move(futures)});
              });
  return result;
}

/// Ready when all calls are; throws what the first of them has thrown.
template <class L = void>
future<void> all_calls(std::vector<future<void>> calls) {
  auto look = [](future<std::vector<future<void>>> all) {
    for (auto& c : all.get()) c.get();
  };
  return when_all(std::move(later<L>(calls))).then(launch::sync, as_glue{look});
}

/// Calls `f`, of which there is one for all, with `x` when that is ready, and with its place if it takes that.
template <class F, class Future>
[[nodiscard]] future<void> call_with(const std::shared_ptr<F>& f, std::size_t place, Future x) {
  return std::move(x).then([f, place](Future y) {
    static_cast<void>(place);  // which clang finds unused in the second case
    if constexpr (std::is_invocable_v<F&, std::size_t, Future>)
      static_cast<void>((*f)(place, std::move(y)));
    else
      static_cast<void>((*f)(std::move(y)));
  });
}

}  // namespace detail

/// Ready when `wanted` of them are. Deferred ones are begun, in their order, while there are too few.
template <class Vector>
requires detail::is_container_of_futures_v<Vector>
[[nodiscard]] auto when_some(std::size_t wanted, Vector&& futures) {
  detail::state_list const states(futures);
  using all = std::remove_cvref_t<Vector>;
  return detail::race_of<when_some_result<all>>(wanted, states, detail::acquired(std::forward<Vector>(futures)));
}
/// The same of several; a tuple.
template <class... Futures>
requires(detail::is_future_v<Futures>&&...) [[nodiscard]] auto when_some(std::size_t wanted, Futures&&... futures) {
  detail::state_list const states(futures...);
  using all = std::tuple<std::remove_cvref_t<Futures>...>;
  return detail::race_of<when_some_result<all>>(wanted, states,
                                                all(detail::acquired(std::forward<Futures>(futures))...));
}
/// The same of those in [first, last); a vector.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator>
[[nodiscard]] auto when_some(std::size_t wanted, Iterator first, Iterator last) {
  return when_some(wanted, detail::collected(first, last));
}
/// The same of the n from first on; a vector.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator>
[[nodiscard]] auto when_some_n(std::size_t wanted, Iterator first, std::size_t n) {
  return when_some(wanted, detail::collected_n(first, n));
}

/// Ready when one of them is. Of none: at once, with index -1.
template <class Vector>
requires detail::is_container_of_futures_v<Vector>
[[nodiscard]] auto when_any(Vector&& futures) {
  detail::state_list const states(futures);
  using all = std::remove_cvref_t<Vector>;
  return detail::race_of<when_any_result<all>>(1, states, detail::acquired(std::forward<Vector>(futures)));
}
/// The same of several; a tuple.
template <class... Futures>
requires(detail::is_future_v<Futures>&&...) [[nodiscard]] auto when_any(Futures&&... futures) {
  detail::state_list const states(futures...);
  using all = std::tuple<std::remove_cvref_t<Futures>...>;
  return detail::race_of<when_any_result<all>>(1, states, all(detail::acquired(std::forward<Futures>(futures))...));
}
/// The same of those in [first, last); a vector.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator>
[[nodiscard]] auto when_any(Iterator first, Iterator last) { return when_any(detail::collected(first, last)); }
/// The same of the n from first on; a vector.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator>
[[nodiscard]] auto when_any_n(Iterator first, std::size_t n) { return when_any(detail::collected_n(first, n)); }

/// Calls f(future) or f(index, future) with each of them as soon as it is ready, perhaps several at a time; ready when
/// all calls have returned.
template <class F, class Vector>
requires detail::is_container_of_futures_v<Vector> future<void> when_each(F f, Vector&& futures) {
  auto const shared = std::make_shared<F>(std::move(f));
  std::vector<future<void>> calls;
  for (auto& x : futures) calls.push_back(detail::call_with(shared, calls.size(), detail::acquired(x)));
  return detail::all_calls(std::move(calls));
}
/// The same of several.
template <class F, class... Futures>
requires(detail::is_future_v<Futures>&&...) future<void> when_each(F f, Futures&&... futures) {
  auto const shared = std::make_shared<F>(std::move(f));
  std::vector<future<void>> calls;
  (calls.push_back(detail::call_with(shared, calls.size(), detail::acquired(std::forward<Futures>(futures)))), ...);
  return detail::all_calls(std::move(calls));
}
/// The same of those in [first, last).
template <class F, class Iterator>
requires detail::is_iterator_of_futures<Iterator> future<void> when_each(F f, Iterator first, Iterator last) {
  return when_each(std::move(f), detail::collected(first, last));
}
/// The same of the n from first on.
template <class F, class Iterator>
requires detail::is_iterator_of_futures<Iterator> future<void> when_each_n(F f, Iterator first, std::size_t n) {
  return when_each(std::move(f), detail::collected_n(first, n));
}

}  // namespace amity
