#pragma once

/// Calls between a sender and what comes after it, made wherever the sender ends.
///
///     execution::just(6) | execution::then([](int x) { return 7 * x; })
///     work | execution::upon_error([](std::exception_ptr) { return 0; })
///
/// What a call gives is the value; what it throws, the error.

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "amity/future/execution/adapted.hpp"
#include "amity/future/execution/closure.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {

struct then_kind : passing_on {
  template <class F>
  struct map : same_signatures {
    template <class... T>
    using value = typename call_signatures<F, T...>::type;
  };
  template <class Beneath, class F>
  using signatures = mapped<Beneath, map<F>>;
  template <class Operation, class... T>
  static void value(Operation& o, T&&... x) noexcept {
    send_result(o.to, std::move(o.data), std::forward<T>(x)...);
  }
};
struct upon_error_kind : passing_on {
  template <class F>
  struct map : same_signatures {
    template <class Error>
    using error = typename call_signatures<F, Error>::type;
  };
  template <class Beneath, class F>
  using signatures = mapped<Beneath, map<F>>;
  template <class Operation, class Error>
  static void error(Operation& o, Error&& e) noexcept {
    send_result(o.to, std::move(o.data), std::forward<Error>(e));
  }
};
struct upon_stopped_kind : passing_on {
  template <class F>
  struct map : same_signatures {
    template <class Nothing>
    using stopped = typename std::conditional_t<std::is_void_v<Nothing>, call_signatures<F>, Nothing>::type;
  };
  template <class Beneath, class F>
  using signatures = mapped<Beneath, map<F>>;
  template <class Operation>
  static void stopped(Operation& o) noexcept {
    send_result(o.to, std::move(o.data));
  }
};

struct into_variant_kind : passing_on {
  template <class Beneath>
  using made = renamed<std::variant, of_values<Beneath, decayed_tuple>>;
  template <class Beneath>
  struct map : same_signatures {
    template <class... T>
    using value = all_signatures<completion_signatures<set_value_t(made<Beneath>)>, throws_unless<kept_quietly<T...>>>;
  };
  template <class Beneath, class>
  using signatures = mapped<Beneath, map<Beneath>>;
  template <class Operation, class... T>
  static void value(Operation& o, T&&... x) noexcept {
    using result = made<typename Operation::beneath>;
    send_result(o.to, [&]() noexcept(kept_quietly<T...>) {
      return result(std::in_place_type<decayed_tuple<T...>>, std::forward<T>(x)...);
    });
  }
};

/// What stands for the values of the only way with values: of one itself, of several their tuple. Nothing of none.
template <class List>
struct one_value_of {};
template <class T>
struct one_value_of<list<std::tuple<T>>> {
  using type = T;
};
template <class First, class Second, class... T>
struct one_value_of<list<std::tuple<First, Second, T...>>> {
  using type = std::tuple<First, Second, T...>;
};

struct stopped_as_optional_kind : passing_on {
  template <class Beneath>
  using value_of = typename one_value_of<of_values<Beneath, decayed_tuple>>::type;
  template <class Beneath>
  struct map : same_signatures {
    using made = std::optional<value_of<Beneath>>;
    template <class... T>
    using value = all_signatures<completion_signatures<set_value_t(made)>,
                                 throws_unless<std::is_nothrow_constructible_v<value_of<Beneath>, T...>>>;
    template <class Nothing>
    using stopped = completion_signatures<set_value_t(std::conditional_t<std::is_void_v<Nothing>, made, Nothing>)>;
  };
  template <class Beneath, class>
  requires requires { typename value_of<Beneath>; }
  using signatures = mapped<Beneath, map<Beneath>>;
  template <class Operation, class... T>
  static void value(Operation& o, T&&... x) noexcept {
    using value = value_of<typename Operation::beneath>;
    send_result(o.to, [&]() noexcept(std::is_nothrow_constructible_v<value, T...>) {
      return std::optional<value>(std::in_place, std::forward<T>(x)...);
    });
  }
  template <class Operation>
  static void stopped(Operation& o) noexcept {
    execution::set_value(std::move(o.to), std::optional<value_of<typename Operation::beneath>>());
  }
};

struct stopped_as_error_kind : passing_on {
  template <class Error>
  struct map : same_signatures {
    template <class Nothing>
    using stopped =
        all_signatures<completion_signatures<set_error_t(std::conditional_t<std::is_void_v<Nothing>, Error, Nothing>)>,
                       throws_unless<std::is_nothrow_move_constructible_v<Error>>>;
  };
  template <class Beneath, class Error>
  using signatures = mapped<Beneath, map<Error>>;
  template <class Operation>
  static void stopped(Operation& o) noexcept {
    using kept = std::remove_cvref_t<decltype(o.data)>;
    attempt<std::is_nothrow_move_constructible_v<kept>>(
        [&] {
          kept error = std::move(o.data);  // the operation is gone while the receiver looks at it
          execution::set_error(std::move(o.to), std::move(error));
        },
        [&](auto thrown) { execution::set_error(std::move(o.to), std::move(thrown)); });
  }
};

/// adaptor(sender, x) and adaptor(x).
template <class Kind>
struct adaptor_with {
  template <sender S, class X>
  [[nodiscard]] constexpr auto operator()(S&& s, X&& x) const {
    return adapt<Kind>(std::forward<S>(s), std::forward<X>(x));
  }
  template <class X>
  [[nodiscard]] constexpr auto operator()(X&& x) const {
    return bind_adaptor(*this, std::forward<X>(x));
  }
};
/// adaptor(sender) and adaptor().
template <class Kind>
struct adaptor_alone {
  template <sender S>
  [[nodiscard]] constexpr auto operator()(S&& s) const {
    return adapt<Kind>(std::forward<S>(s), no_data{});
  }
  [[nodiscard]] constexpr auto operator()() const { return bind_adaptor(*this); }
};

}  // namespace detail

/// then(sender, f): what `f` makes of its values; what `f` throws is an error.
inline constexpr detail::adaptor_with<detail::then_kind> then{};
/// upon_error(sender, f): the same of its error, whatever that is.
inline constexpr detail::adaptor_with<detail::upon_error_kind> upon_error{};
/// upon_stopped(sender, f): the same of nothing, if it was stopped.
inline constexpr detail::adaptor_with<detail::upon_stopped_kind> upon_stopped{};
/// into_variant(sender): its values as one, a std::variant of a std::tuple for each way in which it may end with
/// values.
inline constexpr detail::adaptor_alone<detail::into_variant_kind> into_variant{};
/// stopped_as_optional(sender): its value as a std::optional, which is empty if it was stopped; of several, their
/// tuple. The sender must end with values in one way, and have one at least.
inline constexpr detail::adaptor_alone<detail::stopped_as_optional_kind> stopped_as_optional{};
/// stopped_as_error(sender, e): ends with the error `e` if it was stopped.
inline constexpr detail::adaptor_with<detail::stopped_as_error_kind> stopped_as_error{};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
