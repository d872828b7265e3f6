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
#include <iterator>
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
/// A future, or what a vector of futures consists of.
template <class T>
struct one_of {
  using type = T;
};
template <class F>
struct one_of<std::vector<F>> {
  using type = F;
};
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

/// Futures that lie somewhere, which a state_list may be made of.
template <class Iterator>
struct range_of_futures {
  Iterator first, last;
  [[nodiscard]] auto begin() const { return first; }
  [[nodiscard]] auto end() const { return last; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(std::distance(first, last)); }
};
template <class Iterator>
struct is_vector_of_futures<range_of_futures<Iterator>>
    : is_future<std::remove_cvref_t<decltype(*std::declval<Iterator&>())>> {};

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

namespace detail {

template <class Iterator>
concept is_iterator_of_futures = is_future_v<decltype(*std::declval<Iterator&>())>;

/// What becomes of an argument, whether it is a name or not: a future, or a vector of them, is taken over, as HPX does
/// it; of a shared one, or of a vector of those, a name gives a copy.
template <class X>
[[nodiscard]] std::remove_cvref_t<X> acquired(X&& x) {
  constexpr bool shared = std::is_copy_constructible_v<typename one_of<std::remove_cvref_t<X>>::type>;
  if constexpr (shared && std::is_lvalue_reference_v<X>)
    return x;
  else
    return std::move(x);
}

template <class Iterator>
[[nodiscard]] auto collected(Iterator first, Iterator last) {
  std::vector<std::remove_cvref_t<decltype(*first)>> futures;
  for (; first != last; ++first) futures.push_back(acquired(*first));
  return futures;
}

}  // namespace detail

// --- when_*: futures that are given by name are taken over, as in HPX; shared ones are copied

/// A future of the futures, all ready: of a vector as a vector.
template <class Vector>
requires detail::is_vector_of_futures_v<Vector>
auto when_all(Vector&& futures) {
  detail::state_list const states(futures);
  auto kept = detail::acquired(std::forward<Vector>(futures));
  auto all = [kept = std::move(kept)]() mutable { return std::move(kept); };
  return detail::call_when_ready(detail::resume::at_once, states, detail::as_glue{std::move(all)});
}
/// Of several as a tuple.
template <class... Futures>
requires(detail::is_future_v<Futures>&&...) auto when_all(Futures&&... futures) {
  detail::state_list const states(futures...);
  std::tuple<std::remove_cvref_t<Futures>...> kept(detail::acquired(std::forward<Futures>(futures))...);
  return detail::call_when_ready(detail::resume::at_once, states,
                                 detail::as_glue{[kept = std::move(kept)]() mutable { return std::move(kept); }});
}
/// Of those in [first, last) as a vector.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator>
auto when_all(Iterator first, Iterator last) { return when_all(detail::collected(first, last)); }

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

namespace detail {

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
inline future<void> all_calls(std::vector<future<void>> calls) {
  auto look = [](future<std::vector<future<void>>> all) {
    for (auto& c : all.get()) c.get();
  };
  return when_all(std::move(calls)).then(launch::sync, as_glue{look});
}

/// Calls `f`, of which there is one for all, with `x` when that is ready.
template <class F, class Future>
[[nodiscard]] future<void> call_with(const std::shared_ptr<F>& f, Future x) {
  return std::move(x).then([f](Future y) { static_cast<void>((*f)(std::move(y))); });
}

}  // namespace detail

/// Ready when `wanted` of them are.
template <class Vector>
requires detail::is_vector_of_futures_v<Vector>
auto when_some(std::size_t wanted, Vector&& futures) {
  detail::state_list const states(futures);
  using all = std::remove_cvref_t<Vector>;
  return detail::race_of<when_some_result<all>>(wanted, states, detail::acquired(std::forward<Vector>(futures)));
}
/// The same of several; a tuple.
template <class... Futures>
requires(detail::is_future_v<Futures>&&...) auto when_some(std::size_t wanted, Futures&&... futures) {
  detail::state_list const states(futures...);
  using all = std::tuple<std::remove_cvref_t<Futures>...>;
  return detail::race_of<when_some_result<all>>(wanted, states,
                                                all(detail::acquired(std::forward<Futures>(futures))...));
}
/// The same of those in [first, last); a vector.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator>
auto when_some(std::size_t wanted, Iterator first, Iterator last) {
  return when_some(wanted, detail::collected(first, last));
}

/// Ready when one of them is. Of none: at once, with index -1.
template <class Vector>
requires detail::is_vector_of_futures_v<Vector>
auto when_any(Vector&& futures) {
  detail::state_list const states(futures);
  using all = std::remove_cvref_t<Vector>;
  return detail::race_of<when_any_result<all>>(1, states, detail::acquired(std::forward<Vector>(futures)));
}
/// The same of several; a tuple.
template <class... Futures>
requires(detail::is_future_v<Futures>&&...) auto when_any(Futures&&... futures) {
  detail::state_list const states(futures...);
  using all = std::tuple<std::remove_cvref_t<Futures>...>;
  return detail::race_of<when_any_result<all>>(1, states, all(detail::acquired(std::forward<Futures>(futures))...));
}
/// The same of those in [first, last); a vector.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator>
auto when_any(Iterator first, Iterator last) { return when_any(detail::collected(first, last)); }

/// Calls `f` with each of them as soon as it is ready, perhaps several at a time; ready when all calls have returned.
template <class F, class Vector>
requires detail::is_vector_of_futures_v<Vector> future<void> when_each(F f, Vector&& futures) {
  auto const shared = std::make_shared<F>(std::move(f));
  std::vector<future<void>> calls;
  for (auto& x : futures) calls.push_back(detail::call_with(shared, detail::acquired(x)));
  return detail::all_calls(std::move(calls));
}
/// The same of several.
template <class F, class... Futures>
requires(detail::is_future_v<Futures>&&...) future<void> when_each(F f, Futures&&... futures) {
  auto const shared = std::make_shared<F>(std::move(f));
  std::vector<future<void>> calls;
  (calls.push_back(detail::call_with(shared, detail::acquired(std::forward<Futures>(futures)))), ...);
  return detail::all_calls(std::move(calls));
}
/// The same of those in [first, last).
template <class F, class Iterator>
requires detail::is_iterator_of_futures<Iterator> future<void> when_each(F f, Iterator first, Iterator last) {
  return when_each(std::move(f), detail::collected(first, last));
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

namespace detail {
inline void wait_for_some(std::size_t wanted, const state_list& states) {
  promise<void> p;
  auto enough = p.get_future();
  race::start(states, wanted, [p = std::move(p)](auto&&) mutable { p.set_value(); });
  enough.get();
}
/// The first of them that is complete; -1: none.
inline std::size_t first_complete(std::span<state* const> states) noexcept {
  for (std::size_t i = 0; i < states.size(); ++i)
    if (states[i] != nullptr && is_complete(*states[i])) return i;
  return static_cast<std::size_t>(-1);
}
inline std::size_t wait_for_any(const state_list& states) {
  wait_for_some(1, states);
  return first_complete(states);
}
}  // namespace detail

/// Waits until `wanted` of them are ready.
template <class Future>
requires detail::is_future_v<Future>
void wait_some(std::size_t wanted, const std::vector<Future>& futures) {
  detail::wait_for_some(wanted, detail::state_list(futures));
}
/// The same.
template <class... Futures>
requires(detail::is_future_v<Futures>&&...) void wait_some(std::size_t wanted, const Futures&... futures) {
  detail::wait_for_some(wanted, detail::state_list(futures...));
}
/// The same.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator>
void wait_some(std::size_t wanted, Iterator first, Iterator last) {
  detail::wait_for_some(wanted, detail::state_list(detail::range_of_futures<Iterator>{first, last}));
}
/// Gives the index of one that is ready.
template <class Future>
requires detail::is_future_v<Future> std::size_t wait_any(const std::vector<Future>& futures) {
  return detail::wait_for_any(detail::state_list(futures));
}
/// The same.
template <class... Futures>
requires(detail::is_future_v<Futures>&&...) std::size_t wait_any(const Futures&... futures) {
  return detail::wait_for_any(detail::state_list(futures...));
}
/// The same.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator> std::size_t wait_any(Iterator first, Iterator last) {
  return detail::wait_for_any(detail::state_list(detail::range_of_futures<Iterator>{first, last}));
}
/// when_each, and waits for it; throws what a call threw.
template <class F, class... Futures>
void wait_each(F f, Futures&&... futures) {
  when_each(std::move(f), std::forward<Futures>(futures)...).get();
}

// --- taking apart

namespace detail {
/// `Parts`: the types of what std::get gives of a `Whole`.
template <class... Parts, class Whole>
std::tuple<future<Parts>...> split(future<Whole> whole) {
  std::tuple<promise<Parts>...> promises;
  auto futures = std::apply([](auto&... p) { return std::tuple<future<Parts>...>(p.get_future()...); }, promises);
  auto pass_parts = [promises = std::move(promises)](future<Whole> f) mutable {
    auto const error = caught([&] {
      auto values = f.get();
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (std::get<I>(promises).set_value(std::get<I>(std::move(values))), ...);
      }
      (std::index_sequence_for<Parts...>());
    });
    auto tell = [&](auto& p) { static_cast<void>(caught([&] { p.set_exception(error); })); };  // or has a value
    if (error != nullptr) std::apply([&](auto&... p) { (tell(p), ...); }, promises);
  };
  std::move(whole).then(launch::sync, as_glue{std::move(pass_parts)});
  return futures;
}
}  // namespace detail

/// A tuple of futures of a future of a tuple. An exception goes to each of them.
template <class... T>
std::tuple<future<T>...> split_future(future<std::tuple<T...>> whole) {
  return detail::split<T...>(std::move(whole));
}
/// The same of a pair.
template <class A, class B>
std::pair<future<A>, future<B>> split_future(future<std::pair<A, B>> whole) {
  return std::make_from_tuple<std::pair<future<A>, future<B>>>(detail::split<A, B>(std::move(whole)));
}
/// The same of an array.
template <class T, std::size_t N>
std::array<future<T>, N> split_future(future<std::array<T, N>> whole) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto parts = detail::split<std::tuple_element_t<I, std::array<T, N>>...>(std::move(whole));
    return std::array<future<T>, N>{std::get<I>(std::move(parts))...};
  }
  (std::make_index_sequence<N>());
}

}  // namespace amity
