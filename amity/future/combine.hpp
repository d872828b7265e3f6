#pragma once

/// Futures of futures: what waits for several of them, without a thread that waits.
///
///     auto sum = amity::dataflow([](int a, int b) { return a + b; }, std::move(f), amity::async(g));
///     for (auto& f : amity::when_all(std::move(many)).get()) total += f.get();
///     amity::async_await(left, right, [=] { use(left.get(), right.get()); });
///
/// dataflow calls its function with the values of its futures, or with the ready futures if it takes those. An
/// exception of an input goes to the result. async_await waits only, and lets its function look for itself.

#include <array>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "amity/future/async.hpp"
#include "amity/future/caught.hpp"

namespace amity {

namespace detail {

template <class T>
struct is_vector_of_futures : std::false_type {};
template <class F>
struct is_vector_of_futures<std::vector<F>> : is_future<F> {};
template <class T>
inline constexpr bool is_vector_of_futures_v = is_vector_of_futures<std::remove_cvref_t<T>>::value;

/// A call that waits for its inputs, which `f` keeps alive.
template <class F>
struct waiting_call {
  static constexpr bool is_glue = glue<F>;
  static constexpr std::size_t few = 3;
  explicit waiting_call(F&& call) : f(std::move(call)) {}
  F f;
  gate inputs;
  gate::link first[few];
  std::unique_ptr<gate::link[]> more;
  decltype(auto) operator()() { return f(); }
};

/// A future of `f()`, called when all inputs are ready.
template <class F>
auto call_when_ready(resume how, std::span<state* const> inputs, F f) {
  using closure = waiting_call<F>;
  using result = std::invoke_result_t<F&>;
  std::unique_ptr<gate::link[]> more;
  if (inputs.size() > closure::few) more = std::make_unique<gate::link[]>(inputs.size());
  state& s = make_task<result, closure>(sched::this_worker(), std::move(f));
  future<result> made(&s);
  s.claimed.store(not_ready, std::memory_order_relaxed);  // nobody knows it yet
  auto& c = behind<closure>(s);
  c.more = std::move(more);
  gate::link* const links = c.more != nullptr ? c.more.get() : c.first;
  c.inputs.open_after(s, how, inputs, links);
  return made;
}

template <class X>
[[nodiscard]] std::size_t count_states(const X& x) noexcept {
  if constexpr (is_future_v<X>)
    return 1;
  else if constexpr (is_vector_of_futures_v<X>)
    return x.size();
  else
    return 0;
}

/// The states of the futures among some inputs, and in vectors among them. A few need no memory from the heap.
class state_list {
 public:
  template <class... Inputs>
  explicit state_list(const Inputs&... inputs) {
    std::size_t const all = (std::size_t{0} + ... + count_states(inputs));
    if (all > few_.size()) more_ = std::make_unique_for_overwrite<state*[]>(all);
    states_ = more_ != nullptr ? more_.get() : few_.data();
    (add(inputs), ...);
  }
  state_list(const state_list&) = delete;
  state_list& operator=(const state_list&) = delete;

  operator std::span<state* const>() const noexcept { return {states_, size_}; }  // NOLINT: what it is

 private:
  template <class X>
  void add(const X& x) noexcept {
    if constexpr (is_future_v<X>)
      states_[size_++] = x.state_or_null();
    else if constexpr (is_vector_of_futures_v<X>)
      for (const auto& f : x) states_[size_++] = f.state_or_null();
  }

  std::array<state*, 8> few_;
  std::unique_ptr<state*[]> more_;
  state** states_;
  std::size_t size_ = 0;
};

/// A ready future's value as a tuple of one element, or none for void; anything else as it is.
template <class X>
auto unwrapped(X& x) {
  if constexpr (is_future_v<X>) {
    if constexpr (std::is_void_v<typename X::value_type>) {
      x.get();
      return std::tuple<>();
    } else {
      return std::tuple<decltype(x.get())>(x.get());
    }
  } else {
    return std::tuple<X&&>(std::move(x));
  }
}

template <class F, class Tuple>
inline constexpr bool applicable = false;
template <class F, class... X>
inline constexpr bool applicable<F, std::tuple<X...>> = std::is_invocable_v<F, X...>;

template <class F, class... X>
struct dataflow_call {
  F f;
  std::tuple<X...> inputs;
  using values = decltype(std::tuple_cat(unwrapped(std::declval<X&>())...));

  decltype(auto) operator()() {
    if constexpr (applicable<F, values>) {
      return std::apply(
          [this](auto&... x) -> decltype(auto) { return std::apply(std::move(f), std::tuple_cat(unwrapped(x)...)); },
          inputs);
    } else {
      return std::apply(std::move(f), std::move(inputs));
    }
  }
};

/// The same; of a vector of futures, a vector of their values.
template <class X>
auto unwrapped_all(X& x) {
  if constexpr (!is_vector_of_futures<X>::value) {
    return unwrapped(x);
  } else if constexpr (std::is_void_v<typename X::value_type::value_type>) {
    for (auto& f : x) f.get();
    return std::tuple<>();
  } else {
    std::vector<std::remove_cvref_t<decltype(x.front().get())>> values;
    values.reserve(x.size());
    for (auto& f : x) values.push_back(f.get());
    return std::make_tuple(std::move(values));
  }
}

template <class T>
auto flattened(future<T> f) {
  return f;
}
template <class T>
future<T> flattened(future<future<T>> f) {
  return future<T>(std::move(f));
}

template <class F, class... X>
auto begin_dataflow(resume how, dataflow_call<F, X...>&& call) {
  auto begin = [&](X&... inputs) {
    state_list const states(inputs...);
    return flattened(call_when_ready(how, states, std::move(call)));
  };
  return std::apply(begin, call.inputs);
}

}  // namespace detail

// --- calls that wait for their inputs

/// Calls `f` with the inputs when all futures among them (and in vectors among them) are ready.
template <class F, class... Inputs>
requires(!std::is_same_v<std::remove_cvref_t<F>, launch>) auto dataflow(launch how, F&& f, Inputs&&... inputs) {
  using call = detail::dataflow_call<std::decay_t<F>, std::decay_t<Inputs>...>;
  call c{std::forward<F>(f), {std::forward<Inputs>(inputs)...}};
  if (how == launch::deferred)
    return detail::defer(
        [c = std::move(c)]() mutable { return detail::begin_dataflow(detail::resume::at_once, std::move(c)); });
  return detail::begin_dataflow(how == launch::sync ? detail::resume::at_once : detail::resume::queued, std::move(c));
}
/// The same as a task.
template <class F, class... Inputs>
requires(!std::is_same_v<std::remove_cvref_t<F>, launch>) auto dataflow(F&& f, Inputs&&... inputs) {
  return dataflow(launch::async, std::forward<F>(f), std::forward<Inputs>(inputs)...);
}

/// A function of futures that calls `f` with their values, for x.then(unwrapping(f)): those of a vector as a vector,
/// nothing for futures of void, and what is no future as it is. Waits for what is not ready, and throws what a future
/// holds instead of a value. (dataflow needs none: it gives values by itself.)
template <class F>
[[nodiscard]] auto unwrapping(F&& f) {
  return [f = std::forward<F>(f)]<class... X>(X&&... x) mutable -> decltype(auto) {
    std::tuple<std::remove_cvref_t<X>...> inputs(std::forward<X>(x)...);
    return std::apply(
        [&f](auto&... input) -> decltype(auto) {
          return std::apply(f, std::tuple_cat(detail::unwrapped_all(input)...));
        },
        inputs);
  };
}

/// The last argument is called, without arguments, when all others are ready: futures and vectors of futures. It counts
/// in the finish around it from now on.
template <class... Arguments>
auto async_await(Arguments&&... arguments) {
  static_assert(sizeof...(Arguments) >= 1, "async_await(futures..., function)");
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto all = std::forward_as_tuple(std::forward<Arguments>(arguments)...);
    auto f = std::decay_t<decltype(std::get<sizeof...(I)>(all))>(
        std::forward<decltype(std::get<sizeof...(I)>(std::move(all)))>(std::get<sizeof...(I)>(std::move(all))));
    static_assert(((detail::is_future_v<std::tuple_element_t<I, decltype(all)>> ||
                    detail::is_vector_of_futures_v<std::tuple_element_t<I, decltype(all)>>)&&...),
                  "async_await(futures..., function): only futures and vectors of futures before the function");
    detail::state_list const states(std::get<I>(all)...);
    auto kept = std::tuple<std::decay_t<std::tuple_element_t<I, decltype(all)>>...>(std::get<I>(std::move(all))...);
    return detail::call_when_ready(
        detail::resume::queued, states,
        [kept = std::move(kept), f = std::move(f)]() mutable -> decltype(auto) { return std::move(f)(); });
  }
  (std::make_index_sequence<sizeof...(Arguments) - 1>());
}

// --- when_*

/// A future of the futures, all ready.
template <class Future>
requires detail::is_future_v<Future> future<std::vector<Future>> when_all(std::vector<Future> futures) {
  detail::state_list const states(futures);
  auto all = [futures = std::move(futures)]() mutable { return std::move(futures); };
  return detail::call_when_ready(detail::resume::at_once, states, detail::as_glue{std::move(all)});
}
/// A future of a tuple of them.
template <class... Futures>
requires(detail::is_future_v<Futures>&&...) auto when_all(Futures&&... futures) {
  detail::state_list const states(futures...);
  std::tuple<std::decay_t<Futures>...> all(std::forward<Futures>(futures)...);
  return detail::call_when_ready(detail::resume::at_once, states,
                                 detail::as_glue{[all = std::move(all)]() mutable { return std::move(all); }});
}
/// They are moved out of [first, last).
template <class Iterator>
requires detail::is_future_v<decltype(*std::declval<Iterator&>())>
auto when_all(Iterator first, Iterator last) {
  std::vector<std::remove_cvref_t<decltype(*first)>> futures;
  for (; first != last; ++first) futures.push_back(std::move(*first));
  return when_all(std::move(futures));
}

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

/// Counts until `wanted` of several states are complete, then calls `done`. Lives until the last of them is.
class race {
 public:
  /// `done(indices)` is called once, by whoever completes the last one wanted, or in here.
  template <class Done>
  static void start(std::span<state* const> states, std::size_t wanted, Done done) {
    struct with_done final : race {
      explicit with_done(Done&& d) : call(std::move(d)) {}
      void finish(std::vector<std::size_t> indices) override { call(std::move(indices)); }
      Done call;
    };
    auto* const r = new with_done(std::move(done));
    r->begin(states, wanted < states.size() ? wanted : states.size());
  }
  virtual ~race() = default;

 private:
  struct link : waiter {
    race* owner = nullptr;
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
      if (states[i] != nullptr) begin_deferred(*states[i]);
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
    // Acquire and release: whoever brings it to `enough` knows of all that arrived.
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

}  // namespace detail

/// Ready when `wanted` of them are.
template <class Future>
future<when_some_result<std::vector<Future>>> when_some(std::size_t wanted, std::vector<Future> futures) {
  promise<when_some_result<std::vector<Future>>> p;
  auto result = p.get_future();
  detail::state_list const states(futures);
  detail::race::start(states, wanted,
                      [p = std::move(p), futures = std::move(futures)](std::vector<std::size_t> indices) mutable {
                        p.set_value({std::move(indices), std::move(futures)});
                      });
  return result;
}

/// Ready when one of them is. Of none: at once, with index -1.
template <class Future>
future<when_any_result<std::vector<Future>>> when_any(std::vector<Future> futures) {
  auto first_of_some = [](auto f) {
    auto r = f.get();
    return when_any_result<std::vector<Future>>{r.indices.empty() ? static_cast<std::size_t>(-1) : r.indices[0],
                                                std::move(r.futures)};
  };
  return when_some(1, std::move(futures)).then(launch::sync, detail::as_glue{first_of_some});
}
/// The same of several; a tuple.
template <class... Futures>
requires(sizeof...(Futures) > 0 && (detail::is_future_v<Futures> && ...)) auto when_any(Futures&&... futures) {
  using all = std::tuple<std::decay_t<Futures>...>;
  promise<when_any_result<all>> p;
  auto result = p.get_future();
  detail::state_list const states(futures...);
  detail::race::start(
      states, 1,
      [p = std::move(p), kept = all(std::forward<Futures>(futures)...)](std::vector<std::size_t> indices) mutable {
        p.set_value({indices[0], std::move(kept)});
      });
  return result;
}

/// Calls `f` with each of them as soon as it is ready, perhaps several at a time; ready when all calls have returned.
template <class F, class Future>
future<void> when_each(F f, std::vector<Future> futures) {
  auto shared = std::make_shared<F>(std::move(f));
  std::vector<future<void>> calls;
  for (auto& x : futures)
    calls.push_back(std::move(x).then([shared](Future y) { static_cast<void>((*shared)(std::move(y))); }));
  auto look_at_all = [](auto all) {
    for (auto& c : all.get()) c.get();
  };
  return when_all(std::move(calls)).then(launch::sync, detail::as_glue{look_at_all});
}

// --- wait_*: the same for who has nothing else to do

/// Waits for all; the fiber waits, never the core. Exceptions stay in the futures.
template <class Future>
requires detail::is_future_v<Future>
void wait_all(const std::vector<Future>& futures) {
  for (const auto& f : futures) f.wait();
}
/// The same.
template <class... Futures>
requires(detail::is_future_v<Futures>&&...) void wait_all(const Futures&... futures) { (futures.wait(), ...); }
/// The same.
template <class Iterator>
requires detail::is_future_v<decltype(*std::declval<Iterator&>())>
void wait_all(Iterator first, Iterator last) {
  for (; first != last; ++first) first->wait();
}
/// Waits until `wanted` of them are ready.
template <class Future>
void wait_some(std::size_t wanted, const std::vector<Future>& futures) {
  promise<void> p;
  auto enough = p.get_future();
  detail::state_list const states(futures);
  detail::race::start(states, wanted, [p = std::move(p)](auto&&) mutable { p.set_value(); });
  enough.get();
}
/// Gives the index of one that is ready.
template <class Future>
std::size_t wait_any(const std::vector<Future>& futures) {
  wait_some(1, futures);
  for (std::size_t i = 0; i < futures.size(); ++i)
    if (futures[i].is_ready()) return i;
  return static_cast<std::size_t>(-1);
}
/// when_each, and waits for it; throws what a call threw.
template <class F, class Future>
void wait_each(F f, std::vector<Future> futures) {
  when_each(std::move(f), std::move(futures)).get();
}

// --- taking apart

/// A tuple of futures of a future of a tuple. An exception goes to each of them.
template <class... T>
std::tuple<future<T>...> split_future(future<std::tuple<T...>> whole) {
  std::tuple<promise<T>...> promises;
  auto futures = std::apply([](auto&... p) { return std::tuple<future<T>...>(p.get_future()...); }, promises);
  auto split = [promises = std::move(promises)](future<std::tuple<T...>> f) mutable {
    auto const error = detail::caught([&] {
      auto values = f.get();
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (std::get<I>(promises).set_value(std::get<I>(std::move(values))), ...);
      }
      (std::index_sequence_for<T...>());
    });
    auto tell = [&](auto& p) { static_cast<void>(detail::caught([&] { p.set_exception(error); })); };  // or has a value
    if (error != nullptr) std::apply([&](auto&... p) { (tell(p), ...); }, promises);
  };
  std::move(whole).then(launch::sync, detail::as_glue{std::move(split)});
  return futures;
}

}  // namespace amity
