#pragma once

/// Completions: what is told of the end of an operation, of its source, and in the other process.
///
///     upcxx::rput(&x, there, 1, upcxx::source_cx::as_buffered() | upcxx::operation_cx::as_promise(p));
///     upcxx::rput(&x, there, 1, upcxx::remote_cx::as_rpc([](int n) { ... }, 5));
///
/// README.md, rules C1 to C3.

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/pgas/completion_list.hpp"
#include "amity/upcxx/future.hpp"
#include "amity/upcxx/serialization.hpp"

namespace upcxx {

class team;
template <class T>
class dist_object;

namespace detail {

/// What all processes have under one number, by that number.
template <class X>
struct number_of {
  std::uint64_t number;
  number_of(const X& x) : number(x.id().number) {}
};
template <class X>
inline constexpr bool is_number = false;
template <class X>
inline constexpr bool is_number<number_of<X>> = true;
/// How an argument of a call is kept until that is made.
template <class A>
struct kept_argument {
  using type = A;
};
template <>
struct kept_argument<team> {
  using type = number_of<team>;
};
template <class T>
struct kept_argument<dist_object<T>> {
  using type = number_of<dist_object<T>>;
};
/// What can't be copied is kept by reference: the call to which it is given serialises it.
template <class A>
using kept_argument_t =
    std::conditional_t<std::is_lvalue_reference_v<A> && !std::is_copy_constructible_v<std::decay_t<A>> &&
                           !is_number<typename kept_argument<std::decay_t<A>>::type>,
                       const std::decay_t<A>&, typename kept_argument<std::decay_t<A>>::type>;

enum class event { operation, source };

template <event E>
struct future_cx {};
template <event E, class... T>
struct promise_cx {
  state_ptr<T...> to;
};
template <event E, class F>
struct lpc_cx {
  persona* where;
  F f;
};
template <event E>
struct nothing_cx {};
template <class F, class... Kept>
struct rpc_cx {
  F f;
  std::tuple<Kept...> arguments;
};

using amity::pgas::detail::completions;
using amity::pgas::detail::is_completions;
using amity::pgas::detail::some_completions;

template <event E>
struct event_cx {
  /// A future, which the call gives.
  [[nodiscard]] static completions<future_cx<E>> as_future() { return {}; }
  [[nodiscard]] static completions<future_cx<E>> as_defer_future() { return {}; }
  [[nodiscard]] static completions<future_cx<E>> as_eager_future() { return {}; }
  /// Fulfils the promise, which counts one more from the call on.
  template <class... T>
  [[nodiscard]] static completions<promise_cx<E, T...>> as_promise(const promise<T...>& p) {
    return {{promise_cx<E, T...>{p.its_state()}}};
  }
  template <class... T>
  [[nodiscard]] static auto as_defer_promise(const promise<T...>& p) {
    return as_promise(p);
  }
  template <class... T>
  [[nodiscard]] static auto as_eager_promise(const promise<T...>& p) {
    return as_promise(p);
  }
  /// Calls `f(values...)` in that persona.
  template <class F>
  [[nodiscard]] static completions<lpc_cx<E, std::decay_t<F>>> as_lpc(persona& where, F&& f) {
    return {{lpc_cx<E, std::decay_t<F>>{&where, std::forward<F>(f)}}};
  }
  /// The source is free when the call returns.
  [[nodiscard]] static completions<nothing_cx<E>> as_buffered() { return {}; }
  [[nodiscard]] static completions<nothing_cx<E>> as_blocking() { return {}; }
};

/// What a completion keeps until the end: a state for a future, nothing otherwise.
template <class Cx, class... V>
struct kept_for {
  using type = std::tuple<>;
};
template <class... V>
struct kept_for<future_cx<event::operation>, V...> {
  using type = std::tuple<future<V...>>;
};
template <>
struct kept_for<future_cx<event::source>> {
  using type = std::tuple<future<>>;
};
template <class V, class... More>
struct kept_for<future_cx<event::source>, V, More...> {
  using type = std::tuple<future<>>;
};

/// At the call: promises count one more; what the source asks for is told, as it is free.
template <event E, class... T>
void begin(promise_cx<E, T...>& cx) {
  promise_required(*cx.to.get());
  if constexpr (E == event::source) current_persona().lpc_ff([to = cx.to] { fulfil(*to.get(), 1); });
}
template <class... T>
void promise_required(state<T...>& s) {
  if (s.is_ready) die("upcxx: a promise that is fulfilled is to be fulfilled by an operation");
  ++s.open;
}
template <event E, class F>
void begin(lpc_cx<E, F>& cx) {
  if constexpr (E == event::source) cx.where->lpc_ff(std::move(cx.f));
}
template <event E>
void begin(future_cx<E>&) {}
template <event E>
void begin(nothing_cx<E>&) {}
template <class F, class... A>
void begin(rpc_cx<F, A...>&) {}

/// Its end is told where the call was made.
template <class Cx>
inline constexpr bool ends_in_caller = false;
template <>
inline constexpr bool ends_in_caller<future_cx<event::operation>> = true;
template <class... T>
inline constexpr bool ends_in_caller<promise_cx<event::operation, T...>> = true;
/// It gets what the operation gives.
template <class Cx>
inline constexpr bool takes_values = ends_in_caller<Cx>;
template <class F>
inline constexpr bool takes_values<lpc_cx<event::operation, F>> = true;
template <class Cx>
persona* persona_of(const Cx&) noexcept {
  return nullptr;
}
template <class F>
persona* persona_of(const lpc_cx<event::operation, F>& cx) noexcept {
  return cx.where;
}

/// An operation under way, with the values that it will have. Ends in the persona of its call.
template <class Completions, class... V>
class operation;
template <class... Each, class... V>
class operation<completions<Each...>, V...> {
 public:
  explicit operation(completions<Each...> cx) : home_(&home_of(cx.each)), cx_(std::move(cx.each)) {
    std::apply([](Each&... each) { (begin(each), ...); }, cx_);
    start(std::index_sequence_for<Each...>());
  }
  [[nodiscard]] persona& home() const noexcept { return *home_; }
  /// What the call gives: one future, or a tuple of several, or nothing.
  [[nodiscard]] auto futures() const {
    auto all = std::apply([](const auto&... k) { return std::tuple_cat(k...); }, kept_);
    constexpr std::size_t count = std::tuple_size_v<decltype(all)>;
    if constexpr (count == 1)
      return std::get<0>(all);
    else if constexpr (count > 1)
      return all;
  }
  /// In home().
  void complete(V... values) {
    std::tuple<V...> all(std::move(values)...);
    complete_all(all, std::index_sequence_for<Each...>());
  }
  [[nodiscard]] std::tuple<Each...>& wishes() noexcept { return cx_; }

 private:
  /// The values go to one alone: they are moved there.
  static constexpr bool are_moved = (static_cast<int>(takes_values<Each>) + ... + 0) <= 1;
  template <class T>
  using given = std::conditional_t<are_moved, T&&, passed<T>>;

  /// The caller's persona, if it is needed: its thread may end before what is told to another persona alone.
  static persona& home_of(const std::tuple<Each...>& wishes) {
    if constexpr ((ends_in_caller<Each> || ...)) return current_persona();
    persona* found = nullptr;
    std::apply([&found](const Each&... each) { ((found = found != nullptr ? found : persona_of(each)), ...); }, wishes);
    return found != nullptr ? *found : the_master;
  }
  template <std::size_t... I>
  void start(std::index_sequence<I...>) {
    (start_one(std::get<I>(cx_), std::get<I>(kept_)), ...);
  }
  template <class Cx, class Kept>
  static void start_one(Cx&, Kept& kept) {
    if constexpr (std::is_same_v<Cx, future_cx<event::source>>) std::get<0>(kept) = make_future();
  }
  template <std::size_t... I>
  void complete_all(std::tuple<V...>& all, std::index_sequence<I...>) {
    (complete_one(std::get<I>(cx_), std::get<I>(kept_), all), ...);
  }
  template <class Kept>
  static void complete_one(future_cx<event::operation>&, Kept& kept, std::tuple<V...>& all) {
    auto const to = std::get<0>(kept).its_state();
    std::apply([&to](auto&... v) { put_values(*to.get(), static_cast<given<V>>(v)...); }, all);
    fulfil(*to.get(), 1);
  }
  template <class... T, class Kept>
  static void complete_one(promise_cx<event::operation, T...>& cx, Kept&, std::tuple<V...>& all) {
    static_assert(sizeof...(V) == 0 || sizeof...(T) == sizeof...(V), "this promise is not of what the operation gives");
    if constexpr (sizeof...(V) != 0)
      std::apply([&cx](auto&... v) { put_values(*cx.to.get(), static_cast<given<V>>(v)...); }, all);
    fulfil(*cx.to.get(), 1);
  }
  template <class F, class Kept>
  static void complete_one(lpc_cx<event::operation, F>& cx, Kept&, std::tuple<V...>& all) {
    if constexpr (sizeof...(V) == 0)
      cx.where->lpc_ff(std::move(cx.f));
    else
      cx.where->lpc_ff([f = std::move(cx.f), values = std::make_shared<std::tuple<V...>>(all)]() mutable {
        std::apply([&f](auto&... v) { f(static_cast<V&&>(v)...); }, *values);
      });
  }
  template <class Cx, class Kept>
  static void complete_one(Cx&, Kept&, std::tuple<V...>&) {}

  persona* home_;
  std::tuple<Each...> cx_;
  std::tuple<typename kept_for<Each, V...>::type...> kept_;
};

}  // namespace detail

/// The end of the operation, with its values.
struct operation_cx : detail::event_cx<detail::event::operation> {};
/// The source may be changed. Here always when the call returns.
struct source_cx : detail::event_cx<detail::event::source> {};
/// In the process whose memory is written, after that.
struct remote_cx {
  /// Calls `f(args...)` there, in its master persona.
  template <class F, class... Args>
  [[nodiscard]] static detail::completions<detail::rpc_cx<std::decay_t<F>, detail::kept_argument_t<Args>...>> as_rpc(
      F&& f, Args&&... args) {
    static_assert((detail::is_no_array<Args> && ...),
                  "an array can't be an argument of as_rpc: use a view or std::array");
    return {{detail::rpc_cx<std::decay_t<F>, detail::kept_argument_t<Args>...>{
        std::forward<F>(f), std::tuple<detail::kept_argument_t<Args>...>(std::forward<Args>(args)...)}}};
  }
};

}  // namespace upcxx
