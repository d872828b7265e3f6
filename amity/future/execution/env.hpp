#pragma once

/// Environments: what an operation is told about who waits for it, and what a sender says about itself. Questions are
/// objects, and an environment answers those that its member function `query` takes.
///
///     execution::env e(execution::prop(execution::get_scheduler, amity::get_scheduler()), others);

#include <type_traits>
#include <utility>

#include "amity/future/execution/library.hpp"
#if defined(AMITY_SENDERS)
#include "amity/future/execution/library_words.hpp"
#else
#include "amity/future/execution/own_words.hpp"
#endif

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

/// An environment that answers one question.
template <class Query, class Value>
struct prop {
  /// The question.
  [[no_unique_address]] Query question;
  /// The answer.
  [[no_unique_address]] Value value;
  /// Both.
  constexpr prop(Query q, Value v) : question(std::move(q)), value(std::move(v)) {}
  /// The answer.
  [[nodiscard]] constexpr const Value& query(Query) const noexcept { return value; }
};

/// Environments together: the first that knows an answer gives it.
template <class... Environments>
struct env {};
/// The same, of one at least.
template <class First, class... Others>
struct env<First, Others...> {
  /// It is asked first.
  [[no_unique_address]] First first;
  /// It is asked then.
  [[no_unique_address]] env<Others...> others;
  /// In this order.
  constexpr explicit env(First f, Others... o) : first(std::move(f)), others(std::move(o)...) {}
  /// The answer of the first that has one.
  template <class Query, class... Arguments>
  requires(detail::answers<First, Query, Arguments...> || detail::answers<env<Others...>, Query, Arguments...>)
      [[nodiscard]] constexpr decltype(auto) query(const Query& q, Arguments&&... x) const noexcept {
    if constexpr (detail::answers<First, Query, Arguments...>)
      return first.query(q, std::forward<Arguments>(x)...);
    else
      return others.query(q, std::forward<Arguments>(x)...);
  }
};
template <class... Environments>
env(Environments...) -> env<Environments...>;
/// Knows nothing.
using empty_env = env<>;

namespace detail {
struct get_env_call {
  /// Its own get_env(), or an empty one.
  template <class Provider>
  [[nodiscard]] constexpr auto operator()(const Provider& p) const noexcept {
    if constexpr (requires { p.get_env(); }) return p.get_env();
#if defined(AMITY_SENDERS)
    else if constexpr (requires { library::get_env(p); })
      return library::get_env(p);
#endif
    else
      return env<>{};
  }
};
}  // namespace detail

/// The environment of a receiver or a sender: its own get_env(), or an empty one. Doesn't throw.
inline constexpr detail::get_env_call get_env{};
/// Its type.
template <class Provider>
using env_of_t = decltype(execution::get_env(std::declval<Provider>()));

/// The same as get_env.
template <class Receiver>
[[nodiscard]] auto env_of(const Receiver& r) noexcept {
  return execution::get_env(r);
}

/// Whether what waits for it was asked to stop.
template <class Receiver>
[[nodiscard]] bool stop_requested(const Receiver& r) noexcept {
  return execution::get_stop_token(execution::get_env(r)).stop_requested();
}

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
