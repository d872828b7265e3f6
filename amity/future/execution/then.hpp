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
    using value = all_signatures<completion_signatures<set_value_t(made<Beneath>)>, may_throw>;
  };
  template <class Beneath, class>
  using signatures = mapped<Beneath, map<Beneath>>;
  template <class Operation, class... T>
  static void value(Operation& o, T&&... x) noexcept {
    using result = made<typename Operation::beneath>;
    send_result(o.to, [&] { return result(std::in_place_type<decayed_tuple<T...>>, std::forward<T>(x)...); });
  }
};

struct stopped_as_optional_kind : passing_on {
  template <class Beneath>
  using made = std::optional<std::tuple_element_t<0, only_values<Beneath>>>;
  template <class Beneath>
  struct map : same_signatures {
    template <class... T>
    using value = all_signatures<completion_signatures<set_value_t(made<Beneath>)>, may_throw>;
    template <class Nothing>
    using stopped =
        completion_signatures<set_value_t(made<std::conditional_t<std::is_void_v<Nothing>, Beneath, void>>)>;
  };
  template <class Beneath, class>
  using signatures = mapped<Beneath, map<Beneath>>;
  template <class Operation, class T>
  static void value(Operation& o, T&& x) noexcept {
    using result = made<typename Operation::beneath>;
    send_result(o.to, [&] { return result(std::in_place, std::forward<T>(x)); });
  }
  template <class Operation>
  static void stopped(Operation& o) noexcept {
    execution::set_value(std::move(o.to), made<typename Operation::beneath>());
  }
};

struct stopped_as_error_kind : passing_on {
  template <class Error>
  struct map : same_signatures {
    template <class Nothing>
    using stopped = completion_signatures<set_error_t(std::conditional_t<std::is_void_v<Nothing>, Error, Nothing>)>;
  };
  template <class Beneath, class Error>
  using signatures = mapped<Beneath, map<Error>>;
  template <class Operation>
  static void stopped(Operation& o) noexcept {
    auto error = std::move(o.data);  // the operation is gone while the receiver looks at it
    execution::set_error(std::move(o.to), std::move(error));
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
/// stopped_as_optional(sender): its one value as a std::optional, which is empty if it was stopped.
inline constexpr detail::adaptor_alone<detail::stopped_as_optional_kind> stopped_as_optional{};
/// stopped_as_error(sender, e): ends with the error `e` if it was stopped.
inline constexpr detail::adaptor_with<detail::stopped_as_error_kind> stopped_as_error{};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
