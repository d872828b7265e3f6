#pragma once

/// What adaptors have in common: an operation with the receiver it tells, and beneath it the operation of another
/// sender, whose receiver refers to it. Kinds of adaptors say what becomes of each signal.
///
///     struct counting : passing_on {
///       template <class Operation, class... T>
///       static void value(Operation& o, T&&...) noexcept { execution::set_value(std::move(o.to), sizeof...(T)); }
///     };

#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

#include "amity/future/caught.hpp"
#include "amity/future/execution/signatures.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {
namespace detail {

/// Where values come that nobody says the place of.
struct somewhere {};

/// The type of the scheduler where a sender ends with values that is started at one of type `Start`. Amity's know it,
/// and say it by `ends_at`, even where their attributes do not.
template <class S, class Start, class Env>
constexpr auto find_end() {
  using sender = std::remove_cvref_t<S>;
  if constexpr (requires { typename sender::template ends_at<Start, Env>; })
    return std::type_identity<typename sender::template ends_at<Start, Env>>{};
  else if constexpr (requires(const sender& s) {
                       execution::get_completion_scheduler<set_value_t>(execution::get_env(s));
                     })
    return std::type_identity<std::remove_cvref_t<decltype(execution::get_completion_scheduler<set_value_t>(
        execution::get_env(std::declval<const sender&>())))>>{};
  else
    return std::type_identity<somewhere>{};
}
template <class S, class Start, class Env>
using end_of = typename decltype(find_end<S, Start, Env>())::type;

/// The one place of several, or somewhere.
template <class... Ends>
struct same_end {
  using type = somewhere;
};
template <class End, class... Ends>
struct same_end<End, Ends...> {
  using type = std::conditional_t<(std::is_same_v<End, Ends> && ...), End, somewhere>;
};

/// T, looked at when `Asked` is known: by then it is complete.
template <class T, class Asked>
struct complete_when {
  using type = T;
};
template <class T, class Asked>
using complete = typename complete_when<T, Asked>::type;

/// What all senders of Amity say about themselves, by `signatures<Env...>`: in the words of C++26, and of revisions of
/// the proposal before it.
template <class Derived>
struct sender_base {
  using sender_concept = sender_t;
  using is_of_amity = void;
  template <class Self, class... Env>
  requires requires { typename complete<Derived, Self>::template signatures<Env...>; }
  static constexpr auto get_completion_signatures() { return typename Derived::template signatures<Env...>{}; }
  template <class Env>
  requires requires { typename complete<Derived, Env>::template signatures<Env>; }
  [[nodiscard]] constexpr auto get_completion_signatures(const Env&) const {
    return typename Derived::template signatures<Env>{};
  }
};

/// Calls `f`; what it throws goes to `failed`, unless it is known to throw nothing. False: it threw.
template <bool Quiet, class F, class Failed>
bool attempt(F&& f, Failed&& failed) noexcept {
  if constexpr (Quiet) {
    f();
  } else {
    std::exception_ptr error = amity::detail::caught(f);
    if (error != nullptr) {
      failed(std::move(error));
      return false;
    }
  }
  return true;
}

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
  // `to` is there still if it threw.
  attempt<std::is_nothrow_invocable_v<F, T...>>(
      send, [&](auto error) { execution::set_error(std::move(to), std::move(error)); });
}

/// Changes nothing. Kinds that change something derive from it.
struct passing_on {
  /// The environment of the sender beneath, of the receiver's and of what is kept beside it.
  template <class Env, class Data>
  using env_beneath = Env;
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

/// A receiver of anything, with this environment: to ask what connecting would do.
template <class Env>
struct any_receiver {
  using receiver_concept = receiver_t;
  template <class... T>
  void set_value(T&&...) && noexcept {}
  template <class Error>
  void set_error(Error&&) && noexcept {}
  void set_stopped() && noexcept {}
  [[nodiscard]] Env get_env() const noexcept { std::terminate(); }
};

/// The operation of a simple adaptor. `S` is the sender beneath, as it is connected.
template <class Kind, class S, class R, class Data>
struct adapted {
  using operation_state_concept = operation_state_t;
  using env_type = typename Kind::template env_beneath<env_of_t<R>, Data>;
  using beneath = completion_signatures_of_t<S, env_type>;
  using receiver_type = hearing<Kind, adapted, env_type>;
  R to;
  [[no_unique_address]] Data data;
  connect_result_t<S, receiver_type> child;
  adapted(S&& s, R&& r,
          Data&& d) noexcept(std::is_nothrow_move_constructible_v<R>&& std::is_nothrow_move_constructible_v<Data>&&
                                 connects_quietly<S, receiver_type>)
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
  using signatures = typename Kind::template signatures<
      completion_signatures_of_t<S, typename Kind::template env_beneath<Env, Data>...>, Data>;
  template <class Start, class Env>
  using ends_at = end_of<S, Start, typename Kind::template env_beneath<Env, Data>>;
  S from;
  [[no_unique_address]] Data data;

  adapted_sender(S&& s, Data&& d) : from(std::move(s)), data(std::move(d)) {}

  template <receiver R>
  [[nodiscard]] adapted<Kind, S, R, Data> connect(R r) && noexcept(
      std::is_nothrow_constructible_v<adapted<Kind, S, R, Data>, S, R, Data>) {
    return {std::move(from), std::move(r), std::move(data)};
  }
  template <receiver R>
  [[nodiscard]] adapted<Kind, const S&, R, Data> connect(R r) const& noexcept(
      std::is_nothrow_constructible_v<adapted<Kind, const S&, R, Data>, const S&, R, Data>&&
          std::is_nothrow_copy_constructible_v<Data>) {
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
