#pragma once

/// Senders that end at once, where they are started.
///
///     execution::just(1, std::string("two"))      execution::just_error(EINVAL)      execution::just_stopped()

#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/future/execution/adapted.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {

template <class R, class Signal, class... T>
struct just_operation {
  using operation_state_concept = operation_state_t;
  R to;
  std::tuple<T...> values;
  void start() & noexcept {
    std::apply([this](T&... x) { send(std::move(x)...); }, values);
  }

 private:
  void send(T&&... x) noexcept {
    if constexpr (std::is_same_v<Signal, set_value_t>)
      execution::set_value(std::move(to), std::move(x)...);
    else if constexpr (std::is_same_v<Signal, set_error_t>)
      execution::set_error(std::move(to), std::move(x)...);
    else
      execution::set_stopped(std::move(to));
  }
};

template <class Signal, class... T>
struct just_sender : sender_base<just_sender<Signal, T...>> {
  using value_types = std::tuple<T...>;
  template <class... Env>
  using signatures = completion_signatures<Signal(T...)>;
  template <class Start, class Env>
  using ends_at = Start;
  std::tuple<T...> values;

  template <class... U>
  explicit just_sender(std::in_place_t, U&&... x) : values(std::forward<U>(x)...) {}

  template <receiver R>
  [[nodiscard]] just_operation<R, Signal, T...> connect(R r) && noexcept(std::is_nothrow_move_constructible_v<R> &&
                                                                         (std::is_nothrow_move_constructible_v<T> &&
                                                                          ...)) {
    return {std::move(r), std::move(values)};
  }
  template <receiver R>
  [[nodiscard]] just_operation<R, Signal, T...> connect(R r) const& noexcept(std::is_nothrow_move_constructible_v<R> &&
                                                                             (std::is_nothrow_copy_constructible_v<T> &&
                                                                              ...)) {
    return {std::move(r), values};
  }
};

struct just_call {
  template <class... T>
  [[nodiscard]] auto operator()(T&&... x) const {
    return just_sender<set_value_t, std::decay_t<T>...>(std::in_place, std::forward<T>(x)...);
  }
};
struct just_error_call {
  template <class Error>
  [[nodiscard]] auto operator()(Error&& e) const {
    return just_sender<set_error_t, std::decay_t<Error>>(std::in_place, std::forward<Error>(e));
  }
};
struct just_stopped_call {
  [[nodiscard]] auto operator()() const { return just_sender<set_stopped_t>(std::in_place); }
};

template <class Query>
struct read_env_sender : sender_base<read_env_sender<Query>> {
  template <class Env>
  using answer = decltype(std::declval<const Query&>()(std::declval<const Env&>()));
  template <class Env>
  static constexpr bool answers_quietly = std::is_nothrow_invocable_v<const Query&, const Env&>;
  template <class Env>
  using signatures =
      all_signatures<completion_signatures<set_value_t(answer<Env>)>, throws_unless<answers_quietly<Env>>>;
  template <class Start, class Env>
  using ends_at = Start;
  template <class R>
  struct operation {
    using operation_state_concept = operation_state_t;
    R to;
    void start() & noexcept {
      auto const e = execution::get_env(to);  // the answer may refer to it
      attempt<answers_quietly<env_of_t<R>>>([&] { execution::set_value(std::move(to), Query{}(e)); },
                                            [&](auto error) { execution::set_error(std::move(to), std::move(error)); });
    }
  };
  template <receiver R>
  [[nodiscard]] operation<R> connect(R r) const noexcept(std::is_nothrow_move_constructible_v<R>) {
    return {std::move(r)};
  }
};

struct read_env_call {
  template <class Query>
  [[nodiscard]] auto operator()(Query) const {
    return read_env_sender<Query>();
  }
};

}  // namespace detail

/// A sender of these values.
inline constexpr detail::just_call just{};
/// A sender that ends with this error.
inline constexpr detail::just_error_call just_error{};
/// A sender that was stopped.
inline constexpr detail::just_stopped_call just_stopped{};
/// A sender of what the receiver's environment says to a question: read_env(get_scheduler).
inline constexpr detail::read_env_call read_env{};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
