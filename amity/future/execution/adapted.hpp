#pragma once

/// What adaptors have in common: an operation with the receiver it tells, and beneath it the operation of another
/// sender, whose receiver refers to it. Kinds of adaptors say what becomes of each signal.
///
///     struct counting : passing_on {
///       template <class Operation, class... T>
///       static void value(Operation& o, T&&...) noexcept { execution::set_value(std::move(o.to), sizeof...(T)); }
///     };

#include <functional>
#include <type_traits>
#include <utility>

#include "amity/future/caught.hpp"
#include "amity/future/execution/signatures.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {
namespace detail {

/// What all senders of Amity say about themselves, by `signatures<Env...>`: in the words of C++26, and of revisions of
/// the proposal before it.
template <class Derived>
struct sender_base {
  using sender_concept = sender_t;
  using is_of_amity = void;

  template <class Self, class... Env>
  static constexpr auto get_completion_signatures() {
    return typename Derived::template signatures<Env...>{};
  }
  template <class Env>
  [[nodiscard]] constexpr auto get_completion_signatures(const Env&) const {
    return typename Derived::template signatures<Env>{};
  }
};

/// Sends what `f` gives, or throws.
template <class R, class F, class... T>
void send_result(R& to, F&& f, T&&... x) noexcept {
  using result = std::invoke_result_t<F, T...>;
  auto send = [&] {
    if constexpr (std::is_void_v<result>) {
      std::invoke(std::forward<F>(f), std::forward<T>(x)...);
      execution::set_value(std::move(to));
    } else {
      execution::set_value(std::move(to), std::invoke(std::forward<F>(f), std::forward<T>(x)...));
    }
  };
  if constexpr (std::is_nothrow_invocable_v<F, T...>) {
    send();
  } else {
    auto error = amity::detail::caught(send);  // `to` is there still if there is one
    if (error != nullptr) execution::set_error(std::move(to), std::move(error));
  }
}

/// Changes nothing. Kinds that change something derive from it.
struct passing_on {
  template <class Operation, class... T>
  static void value(Operation& o, T&&... x) noexcept {
    execution::set_value(std::move(o.to), std::forward<T>(x)...);
  }
  template <class Operation, class Error>
  static void error(Operation& o, Error&& e) noexcept {
    execution::set_error(std::move(o.to), std::forward<Error>(e));
  }
  template <class Operation>
  static void stopped(Operation& o) noexcept {
    execution::set_stopped(std::move(o.to));
  }
  template <class Operation>
  static auto environment(const Operation& o) noexcept {
    return execution::get_env(o.to);
  }
};

/// Hears of an operation on behalf of another one, which is `Kind`'s.
template <class Kind, class Operation, class Env>
struct hearing {
  using receiver_concept = receiver_t;
  Operation* for_whom;
  template <class... T>
  void set_value(T&&... x) && noexcept {
    Kind::value(*for_whom, std::forward<T>(x)...);
  }
  template <class Error>
  void set_error(Error&& e) && noexcept {
    Kind::error(*for_whom, std::forward<Error>(e));
  }
  void set_stopped() && noexcept { Kind::stopped(*for_whom); }
  [[nodiscard]] Env get_env() const noexcept { return Kind::environment(*for_whom); }
};

/// The operation of a simple adaptor. `S` is the sender beneath, as it is connected.
template <class Kind, class S, class R, class Data>
struct adapted {
  using operation_state_concept = operation_state_t;
  using beneath = completion_signatures_of_t<S, env_of_t<R>>;
  using receiver_type = hearing<Kind, adapted, env_of_t<R>>;

  R to;
  [[no_unique_address]] Data data;
  connect_result_t<S, receiver_type> child;

  adapted(S&& s, R&& r, Data&& d)
      : to(std::move(r)), data(std::move(d)), child(execution::connect(std::forward<S>(s), receiver_type{this})) {}
  adapted(const adapted&) = delete;
  adapted& operator=(const adapted&) = delete;
  ~adapted() = default;
  void start() & noexcept { execution::start(child); }
};

/// The sender of a simple adaptor, with what it keeps beside the sender beneath it.
template <class Kind, class S, class Data>
struct adapted_sender : sender_base<adapted_sender<Kind, S, Data>> {
  template <class... Env>
  using signatures = typename Kind::template signatures<completion_signatures_of_t<S, Env...>, Data>;

  S from;
  [[no_unique_address]] Data data;

  adapted_sender(S&& s, Data&& d) : from(std::move(s)), data(std::move(d)) {}

  template <receiver R>
  [[nodiscard]] adapted<Kind, S, R, Data> connect(R r) && {
    return {std::move(from), std::move(r), std::move(data)};
  }
  template <receiver R>
  [[nodiscard]] adapted<Kind, const S&, R, Data> connect(R r) const& {
    return {from, std::move(r), Data(data)};
  }
  [[nodiscard]] env_of_t<S> get_env() const noexcept { return execution::get_env(from); }
};

template <class Kind, class S, class Data>
[[nodiscard]] constexpr auto adapt(S&& s, Data&& d) {
  return adapted_sender<Kind, std::remove_cvref_t<S>, std::decay_t<Data>>(std::remove_cvref_t<S>(std::forward<S>(s)),
                                                                          std::decay_t<Data>(std::forward<Data>(d)));
}

struct no_data {};

}  // namespace detail
}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
