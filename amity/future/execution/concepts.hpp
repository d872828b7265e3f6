#pragma once

/// What senders, receivers, operations and schedulers are, and the three steps: schedule, connect, start.
///
///     auto operation = execution::connect(execution::schedule(amity::get_scheduler()), receiver);
///     execution::start(operation);      // one of set_value, set_error and set_stopped follows, once

#include <concepts>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/future/execution/env.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {

template <class T>
concept tagged_sender = std::derived_from<typename T::sender_concept, sender_t>;
template <class T>
concept tagged_receiver = std::derived_from<typename T::receiver_concept, receiver_t>;
/// Senders of Amity's own, whose members say all that is to be known.
template <class T>
concept own_sender = requires {
  typename std::remove_cvref_t<T>::is_of_amity;
};
/// Has a tuple of what it calls set_value with.
template <class T>
concept says_values = requires {
  typename T::value_types;
};

template <class Tuple>
struct signatures_of_values;
template <class... T>
struct signatures_of_values<std::tuple<T...>> {
  using type = completion_signatures<set_value_t(T...), set_error_t(std::exception_ptr), set_stopped_t()>;
};

#if defined(AMITY_SENDERS)
template <class Env = env<>>
struct or_empty {
  using type = Env;
};
/// What the library makes of a sender. Older ones want an environment.
template <class Sender, class... Env>
using library_signatures = library::completion_signatures_of_t<Sender, typename or_empty<Env...>::type>;
#endif

/// Amity's senders say it by this function template, as those of C++26 do; those of earlier revisions by a member
/// function of the environment, or a type.
template <class Sender, class... Env>
constexpr auto find_signatures() {
  using sender = std::remove_cvref_t<Sender>;
  if constexpr (requires { sender::template get_completion_signatures<Sender, Env...>(); })
    return sender::template get_completion_signatures<Sender, Env...>();
#if defined(AMITY_SENDERS)
  else if constexpr (!own_sender<Sender> && requires { typename library_signatures<Sender, Env...>; })
    return library_signatures<Sender, Env...>{};
#endif
  else if constexpr (own_sender<Sender>)
    return;  // not with these
  else if constexpr (requires { sender::template get_completion_signatures<Sender>(); })
    return sender::template get_completion_signatures<Sender>();
  else if constexpr (requires { typename sender::completion_signatures; })
    return typename sender::completion_signatures{};
  else if constexpr (requires { std::declval<Sender>().get_completion_signatures(std::declval<Env>()...); })
    return std::declval<Sender>().get_completion_signatures(std::declval<Env>()...);
  else if constexpr (says_values<sender>)
    return typename signatures_of_values<typename sender::value_types>::type{};
}

template <class S, class... Env>
using found_signatures = decltype(find_signatures<S, Env...>());

template <class T>
inline constexpr bool are_signatures = false;
template <class... Signatures>
inline constexpr bool are_signatures<completion_signatures<Signatures...>> = true;

/// A receiver takes this signal.
template <class Receiver, class Signature>
inline constexpr bool takes = false;
template <class Receiver, class... T>
inline constexpr bool takes<Receiver, set_value_t(T...)> = requires(Receiver&& r, T&&... x) {
  execution::set_value(std::move(r), std::forward<T>(x)...);
};
template <class Receiver, class Error>
inline constexpr bool takes<Receiver, set_error_t(Error)> = requires(Receiver&& r, Error&& e) {
  execution::set_error(std::move(r), std::forward<Error>(e));
};
template <class Receiver>
inline constexpr bool takes<Receiver, set_stopped_t()> = requires(Receiver&& r) {
  execution::set_stopped(std::move(r));
};
template <class Receiver, class Signatures>
inline constexpr bool takes_all = false;
template <class Receiver, class... Signatures>
inline constexpr bool takes_all<Receiver, completion_signatures<Signatures...>> = (takes<Receiver, Signatures> && ...);

}  // namespace detail

/// Is told how an operation ended. It says so by `receiver_concept`, or has set_error and set_stopped. What R is can be
/// kept: so a reference to one that can only be moved is none. A class that is final is none, either.
template <class R>
concept receiver = std::move_constructible<std::remove_cvref_t<R>> &&
                   std::constructible_from<std::remove_cvref_t<R>, R> && !std::is_final_v<std::remove_cvref_t<R>> &&
                   (detail::tagged_receiver<std::remove_cvref_t<R>> ||
                    requires(std::remove_cvref_t<R> && r, std::exception_ptr error) {
                      std::move(r).set_error(error);
                      std::move(r).set_stopped();
                    });

/// A receiver that takes all these signals.
template <class R, class Signatures>
concept receiver_of = receiver<R> && detail::takes_all<std::remove_cvref_t<R>, Signatures>;

/// Says what is to be done. It has `sender_concept`, or, as those of the library itself once did, a std::tuple
/// `value_types` of what set_value is called with. What S is can be kept: so a reference to one that can only be moved
/// is none.
template <class S>
concept sender = std::move_constructible<std::remove_cvref_t<S>> &&
    std::constructible_from<std::remove_cvref_t<S>, S> &&
    (detail::tagged_sender<std::remove_cvref_t<S>> || detail::says_values<std::remove_cvref_t<S>>);

/// A sender that says in which ways it may end, for a receiver with this environment, or for any.
template <class S, class... Env>
concept sender_in = sender<S> && detail::are_signatures<detail::found_signatures<S, Env...>>;

/// Its completion_signatures.
template <class S, class... Env>
requires sender_in<S, Env...>
using completion_signatures_of_t = detail::found_signatures<S, Env...>;

/// The completion_signatures of a sender, as an object.
template <class S, class... Env>
[[nodiscard]] constexpr auto get_completion_signatures() -> completion_signatures_of_t<S, Env...> {
  return {};
}

/// What has been connected, and may be started once.
template <class O>
concept operation_state = std::destructible<O> && requires(O& o) {
  o.start();
};

namespace detail {

#if defined(AMITY_SENDERS)
/// The library connects them, and may put another sender in the place of this one.
template <class S, class R>
concept library_connects = !own_sender<S> && tagged_receiver<std::remove_cvref_t<R>>;
#else
template <class S, class R>
concept library_connects = false;
#endif
template <class S, class R>
concept connects = !library_connects<S, R> && requires(S && s, R&& r) {
  std::forward<S>(s).connect(std::forward<R>(r));
};

struct connect_call {
  /// The operation that will do what `s` says and tell `r`. It must not be moved once it was started.
  template <class S, class R>
  requires connects<S, R>
  [[nodiscard]] constexpr auto operator()(S&& s, R&& r) const
      noexcept(noexcept(std::forward<S>(s).connect(std::forward<R>(r)))) {
    return std::forward<S>(s).connect(std::forward<R>(r));
  }
#if defined(AMITY_SENDERS)
  template <class S, class R>
  requires library_connects<S, R>
  [[nodiscard]] constexpr auto operator()(S&& s, R&& r) const
      noexcept(noexcept(library::connect(std::forward<S>(s), std::forward<R>(r)))) {
    return library::connect(std::forward<S>(s), std::forward<R>(r));
  }
#endif
};
struct start_call {
  /// Begins it.
  template <class Operation>
  constexpr void operator()(Operation& operation) const noexcept {
#if defined(AMITY_SENDERS)
    if constexpr (!operation_state<Operation>)
      library::start(operation);
    else
#endif
      operation.start();
  }
};

}  // namespace detail

/// The operation that will do what a sender says and tell a receiver. It must not be moved once it was started, and
/// lives until the receiver was told. Throws what moving the two throws.
inline constexpr detail::connect_call connect{};
/// Its type.
template <class S, class R>
using connect_result_t = decltype(execution::connect(std::declval<S>(), std::declval<R>()));
/// Begins an operation. Doesn't wait for its end, and doesn't throw; it may have ended, and be gone, on return.
inline constexpr detail::start_call start{};

namespace detail {
/// Connecting them throws nothing.
template <class S, class R>
inline constexpr bool connects_quietly = noexcept(execution::connect(std::declval<S>(), std::declval<R>()));
}  // namespace detail

/// A sender that may be connected to this receiver.
template <class S, class R>
concept sender_to = sender<S> && receiver<R> && requires(S&& s, R&& r) {
  execution::connect(std::forward<S>(s), std::forward<R>(r));
};

/// Makes senders that end where it runs things. A small value, equal to another one that runs them at the same place.
template <class S>
concept scheduler = std::copy_constructible<std::remove_cvref_t<S>> &&
    std::equality_comparable<std::remove_cvref_t<S>> && requires(const std::remove_cvref_t<S>& s) {
  { s.schedule() } -> sender;
};

namespace detail {
struct schedule_call {
  /// A sender of nothing that ends where `s` runs things.
  template <scheduler S>
  [[nodiscard]] constexpr auto operator()(const S& s) const noexcept(noexcept(s.schedule())) {
    return s.schedule();
  }
};
}  // namespace detail

/// A sender of nothing that ends where a scheduler runs things.
inline constexpr detail::schedule_call schedule{};
/// Its type.
template <class S>
using schedule_result_t = decltype(execution::schedule(std::declval<S>()));

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
