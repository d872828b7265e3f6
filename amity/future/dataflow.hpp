#pragma once

/// Calls that wait for their inputs, without a thread that waits.
///
///     auto sum = amity::dataflow([](int a, int b) { return a + b; }, std::move(f), amity::async(g));
///     amity::async_await(left, right, [=] { use(left.get(), right.get()); });
///
/// dataflow calls its function with the values of its futures, or with the ready futures if it takes those. An
/// exception of an input goes to the result. async_await waits only, and lets its function look for itself. Futures
/// that are given by name are taken over, as in HPX; shared ones are copied.

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "amity/future/async.hpp"

namespace amity {

namespace detail {

/// A vector, list, deque or array of futures.
template <class T>
struct is_container_of_futures : std::false_type {};
template <class F>
struct is_container_of_futures<std::vector<F>> : is_future<F> {};
template <class F>
struct is_container_of_futures<std::list<F>> : is_future<F> {};
template <class F>
struct is_container_of_futures<std::deque<F>> : is_future<F> {};
template <class F, std::size_t N>
struct is_container_of_futures<std::array<F, N>> : is_future<F> {};
/// A future, or what a container of futures consists of.
template <class T>
struct one_of {
  using type = T;
};
template <class T>
requires is_container_of_futures<T>::value struct one_of<T> {
  using type = typename T::value_type;
};
template <class T>
inline constexpr bool is_container_of_futures_v = is_container_of_futures<std::remove_cvref_t<T>>::value;

/// What becomes of a future or of a container of them, whether it is a name or not: it is taken over, as HPX does it, a
/// container by name element by element; of a shared one, or of a container of those, a name gives a copy. Anything
/// else is copied or moved as always.
template <class X>
[[nodiscard]] std::decay_t<X> acquired(X&& x) {
  using kind = std::remove_cvref_t<X>;
  using element = typename one_of<kind>::type;
  if constexpr (!std::is_lvalue_reference_v<X> || !is_future_v<element> || std::is_copy_constructible_v<element>) {
    return std::forward<X>(x);
  } else if constexpr (is_future_v<kind>) {
    return std::move(x);
  } else if constexpr (requires(kind all) { all.emplace_back(); }) {
    kind all;
    for (auto& f : x) all.emplace_back(std::move(f));
    return all;
  } else {
    kind all;
    std::move(x.begin(), x.end(), all.begin());
    return all;
  }
}

/// What a std::ref stands for; anything else itself.
template <class X>
[[nodiscard]] const X& referred(const X& x) noexcept {
  return x;
}
template <class X>
[[nodiscard]] const X& referred(const std::reference_wrapper<X>& x) noexcept {
  return x.get();
}

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
struct is_container_of_futures<range_of_futures<Iterator>>
    : is_future<std::remove_cvref_t<decltype(*std::declval<Iterator&>())>> {};

template <class X>
[[nodiscard]] std::size_t count_states(const X& x) noexcept {
  if constexpr (is_future_v<X>)
    return 1;
  else if constexpr (is_container_of_futures_v<X>)
    return x.size();
  else
    return 0;
}

/// The states of the futures among some inputs, and in containers among them. A few need no memory from the heap.
class state_list {
 public:
  template <class... Inputs>
  explicit state_list(const Inputs&... inputs) {
    std::size_t const all = (std::size_t{0} + ... + count_states(referred(inputs)));
    if (all > few_.size()) more_ = std::make_unique_for_overwrite<state*[]>(all);
    states_ = more_ != nullptr ? more_.get() : few_.data();
    (add(referred(inputs)), ...);
  }
  state_list(const state_list&) = delete;
  state_list& operator=(const state_list&) = delete;

  operator std::span<state* const>() const noexcept { return {states_, size_}; }  // NOLINT: what it is

 private:
  template <class X>
  void add(const X& x) noexcept {
    if constexpr (is_future_v<X>)
      states_[size_++] = x.state_or_null();
    else if constexpr (is_container_of_futures_v<X>)
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
      static_assert(
          applicable<F, std::tuple<X...>>,
          "dataflow(f, inputs...): f can be called neither with the values of the futures, nor with the futures "
          "themselves; of a future of a future the value is a future");
      return std::apply(std::move(f), std::move(inputs));
    }
  }
};

/// The container that holds a T for each future of a Container.
template <class Container, class T>
struct of_values;
template <template <class, class> class Container, class F, class T>
struct of_values<Container<F, std::allocator<F>>, T> {
  using type = Container<T, std::allocator<T>>;
};
template <class F, std::size_t N, class T>
struct of_values<std::array<F, N>, T> {
  using type = std::array<T, N>;
};

/// The same; of a container of futures, a container of their values.
template <class X>
auto unwrapped_all(X& x) {
  if constexpr (!is_container_of_futures<X>::value) {
    return unwrapped(x);
  } else if constexpr (std::is_void_v<typename X::value_type::value_type>) {
    for (auto& f : x) f.get();
    return std::tuple<>();
  } else {
    using values = typename of_values<X, std::remove_cvref_t<decltype(x.front().get())>>::type;
    if constexpr (requires(values & v) { v.emplace_back(x.front().get()); }) {
      values all;
      for (auto& f : x) all.emplace_back(f.get());
      return std::make_tuple(std::move(all));
    } else {
      return [&]<std::size_t... I>(std::index_sequence<I...>) { return std::make_tuple(values{x[I].get()...}); }
      (std::make_index_sequence<std::tuple_size_v<X>>());
    }
  }
}

/// The same call, made by an executor with the ready futures: what they hold is looked at there.
template <class Executor, class F, class... X>
struct run_flow_by {
  Executor executor;
  F f;
  auto operator()(X&&... inputs) { return executor.run(dataflow_call<F, X...>{std::move(f), {std::move(inputs)...}}); }
};

template <class F, class... X>
auto begin_dataflow(resume how, dataflow_call<F, X...>&& call) {
  auto begin = [&](X&... inputs) {
    state_list const states(inputs...);
    return flattened(call_when_ready(how, states, std::move(call)));
  };
  return std::apply(begin, call.inputs);
}

}  // namespace detail

/// Calls `f` with the inputs when all futures among them (and in vectors, lists, deques and arrays among them) are
/// ready.
template <class F, class... Inputs>
requires(!std::is_same_v<std::remove_cvref_t<F>, launch>) auto dataflow(launch how, F&& f, Inputs&&... inputs) {
  using call = detail::dataflow_call<std::decay_t<F>, std::decay_t<Inputs>...>;
  call c{std::forward<F>(f), {detail::acquired(std::forward<Inputs>(inputs))...}};
  how = detail::earliest(how);
  if (how == launch::deferred)
    return detail::defer(
        [c = std::move(c)]() mutable { return detail::begin_dataflow(detail::resume::at_once, std::move(c)); });
  return detail::begin_dataflow(how == launch::sync ? detail::resume::at_once : detail::resume::queued, std::move(c));
}
/// The same as a task.
template <class F, class... Inputs>
requires(!std::is_same_v<std::remove_cvref_t<F>, launch> &&
         !detail::runs_calls<std::remove_cvref_t<F>>) auto dataflow(F&& f, Inputs&&... inputs) {
  return dataflow(launch::async, std::forward<F>(f), std::forward<Inputs>(inputs)...);
}

/// The same, run by an executor. One that runs calls in place does so where the last input is made ready.
template <detail::runs_calls Executor, class F, class... Inputs>
auto dataflow(const Executor& executor, F&& f, Inputs&&... inputs) {
  using call = detail::run_flow_by<Executor, std::decay_t<F>, std::decay_t<Inputs>...>;
  return dataflow(detail::begun_by<Executor>, call{executor, std::forward<F>(f)}, std::forward<Inputs>(inputs)...);
}

/// A function of futures that calls `f` with their values, for x.then(unwrapping(f)): those of a vector as a vector (so
/// of a list, a deque or an array), nothing for futures of void, and what is no future as it is. Waits for what is not
/// ready, and throws what a future holds instead of a value. (dataflow needs none: it gives values by itself.)
template <class F>
[[nodiscard]] auto unwrapping(F&& f) {
  return [f = std::forward<F>(f)]<class... X>(X&&... x) mutable -> decltype(auto) {
    std::tuple<std::remove_cvref_t<X>...> inputs(detail::acquired(std::forward<X>(x))...);
    return std::apply(
        [&f](auto&... input) -> decltype(auto) {
          return std::apply(f, std::tuple_cat(detail::unwrapped_all(input)...));
        },
        inputs);
  };
}

/// The values of futures, now: waits for them, and throws what one holds instead. Of one, its value; of several, a
/// tuple; nothing of those that are of void.
template <class... X>
auto unwrap(X&&... x) {
  std::tuple<std::remove_cvref_t<X>...> inputs(detail::acquired(std::forward<X>(x))...);
  auto values = std::apply([](auto&... input) { return std::tuple_cat(detail::unwrapped_all(input)...); }, inputs);
  using all = decltype(values);
  if constexpr (std::tuple_size_v<all> == 0)
    return;
  else if constexpr (std::tuple_size_v<all> == 1)
    return std::remove_cvref_t<std::tuple_element_t<0, all>>(std::get<0>(std::move(values)));
  else
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<std::remove_cvref_t<std::tuple_element_t<I, all>>...>(std::get<I>(std::move(values))...);
    }
  (std::make_index_sequence<std::tuple_size_v<all>>());
}

/// The last argument is called, without arguments, when all others are ready: futures and containers of futures. It
/// counts in the finish around it from now on.
template <class... Arguments>
auto async_await(Arguments&&... arguments) {
  static_assert(sizeof...(Arguments) >= 1, "async_await(futures..., function)");
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto all = std::forward_as_tuple(std::forward<Arguments>(arguments)...);
    auto f = std::decay_t<decltype(std::get<sizeof...(I)>(all))>(
        std::forward<decltype(std::get<sizeof...(I)>(std::move(all)))>(std::get<sizeof...(I)>(std::move(all))));
    static_assert(((detail::is_future_v<std::tuple_element_t<I, decltype(all)>> ||
                    detail::is_container_of_futures_v<std::tuple_element_t<I, decltype(all)>>)&&...),
                  "async_await(futures..., function): only futures and containers of futures before the function");
    detail::state_list const states(std::get<I>(all)...);
    auto kept = std::tuple<std::decay_t<std::tuple_element_t<I, decltype(all)>>...>(std::get<I>(std::move(all))...);
    return detail::call_when_ready(detail::resume::queued, states,
                                   [kept = std::move(kept), f = std::move(f)]() mutable -> decltype(auto) {
                                     static_cast<void>(kept);  // which clang finds unused
                                     return std::move(f)();
                                   });
  }
  (std::make_index_sequence<sizeof...(Arguments) - 1>());
}

}  // namespace amity
