#pragma once

/// Pipes: `sender | then(f)` is `then(sender, f)`, and `then(f) | then(g)` waits for a sender.
///
///     auto twice = execution::then([](int x) { return 2 * x; });
///     execution::just(21) | twice;

#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/future/execution/concepts.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

/// What may stand behind a pipe derives from this: a function of a sender that gives another one.
template <class Derived>
struct sender_adaptor_closure {};

namespace detail {

template <class T>
concept closure =
    std::derived_from<std::remove_cvref_t<T>, sender_adaptor_closure<std::remove_cvref_t<T>>> && !sender<T>;

/// An adaptor with all its arguments but the sender.
template <class Adaptor, class... Arguments>
struct bound_closure : sender_adaptor_closure<bound_closure<Adaptor, Arguments...>> {
  std::tuple<Arguments...> arguments;
  constexpr explicit bound_closure(Arguments... x) : arguments(std::move(x)...) {}
  template <sender S>
  constexpr auto operator()(S&& s) && {
    return std::apply([&](Arguments&... x) { return Adaptor{}(std::forward<S>(s), std::move(x)...); }, arguments);
  }
  template <sender S>
  constexpr auto operator()(S&& s) const& {
    return std::apply([&](const Arguments&... x) { return Adaptor{}(std::forward<S>(s), Arguments(x)...); }, arguments);
  }
};

template <class First, class Second>
struct two_closures : sender_adaptor_closure<two_closures<First, Second>> {
  First first;
  Second second;
  constexpr two_closures(First a, Second b) : first(std::move(a)), second(std::move(b)) {}
  template <sender S>
  constexpr auto operator()(S&& s) && {
    return std::move(second)(std::move(first)(std::forward<S>(s)));
  }
  template <sender S>
  constexpr auto operator()(S&& s) const& {
    return second(first(std::forward<S>(s)));
  }
};

template <class Adaptor, class... Arguments>
[[nodiscard]] constexpr auto bind_adaptor(Adaptor, Arguments&&... x) {
  return bound_closure<Adaptor, std::decay_t<Arguments>...>(std::forward<Arguments>(x)...);
}

}  // namespace detail

/// What the closure makes of the sender.
template <sender S, detail::closure Closure>
[[nodiscard]] constexpr auto operator|(S&& s, Closure&& c) {
  return std::forward<Closure>(c)(std::forward<S>(s));
}
/// Both, one after the other.
template <detail::closure First, detail::closure Second>
[[nodiscard]] constexpr auto operator|(First&& a, Second&& b) {
  return detail::two_closures<std::remove_cvref_t<First>, std::remove_cvref_t<Second>>(std::forward<First>(a),
                                                                                       std::forward<Second>(b));
}

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
