#pragma once

/// Senders that depend on how another one has ended, and what runs where.
///
///     execution::just(n) | execution::let_value([](int& n) { return rows(n); })     // n lives until rows(n) has ended
///     execution::starts_on(amity::get_scheduler(), work)

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/future/execution/adapted.hpp"
#include "amity/future/execution/closure.hpp"
#include "amity/future/execution/slot.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {

template <class F, class... T>
using next_sender = std::invoke_result_t<F, std::decay_t<T>&...>;

template <class Operation, class F>
struct let_types {
  template <class... T>
  using keep = list<std::tuple<std::decay_t<T>...>>;
  template <class... T>
  using begin = list<connect_result_t<next_sender<F, T...>, typename Operation::next_receiver>>;
};
/// Neither keeping these for `f`, nor `f`, nor connecting what it gives, throws.
template <class F, class Env, class... T>
constexpr bool goes_on_quietly() noexcept {
  if constexpr (!kept_quietly<T...> || !std::is_nothrow_invocable_v<F, std::decay_t<T>&...>)
    return false;
  else if constexpr (requires { typename connect_result_t<next_sender<F, T...>, any_receiver<Env>>; })
    return connects_quietly<next_sender<F, T...>, any_receiver<Env>>;
  else
    return false;
}
template <class Env = env<>, class...>
struct first_or_empty {
  using type = Env;
};
/// `Env`: of what comes second.
template <class F, class... Env>
struct let_signatures {
  template <class... T>
  using of = all_signatures<completion_signatures_of_t<next_sender<F, T...>, Env...>,
                            throws_unless<goes_on_quietly<F, typename first_or_empty<Env...>::type, T...>()>>;
};
/// A list of where they end.
template <class F, class Start, class Env>
struct let_ends {
  template <class... T>
  using of = list<end_of<next_sender<F, T...>, Start, Env>>;
};

/// The kinds: which signal is looked at, and how it reads as values.
struct let_value_kind : passing_on {
  using signal = set_value_t;
  template <class Ends, class>
  struct ends : no_types {
    template <class... T>
    using value = typename Ends::template of<T...>;
  };
  template <class F, class... Env>
  struct map : same_signatures {
    template <class... T>
    using value = typename let_signatures<F, Env...>::template of<T...>;
  };
  template <class Types>
  struct kept : no_types {
    template <class... T>
    using value = typename Types::template keep<T...>;
  };
  template <class Types>
  struct begun : no_types {
    template <class... T>
    using value = typename Types::template begin<T...>;
  };
  template <class Operation, class... T>
  static void value(Operation& o, T&&... x) noexcept {
    o.go_on(std::forward<T>(x)...);
  }
};
struct let_error_kind : passing_on {
  using signal = set_error_t;
  template <class Ends, class First>
  struct ends : no_types {
    template <class... T>
    using value = list<First>;
    template <class Error>
    using error = typename Ends::template of<Error>;
  };
  template <class F, class... Env>
  struct map : same_signatures {
    template <class Error>
    using error = typename let_signatures<F, Env...>::template of<Error>;
  };
  template <class Types>
  struct kept : no_types {
    template <class Error>
    using error = typename Types::template keep<Error>;
  };
  template <class Types>
  struct begun : no_types {
    template <class Error>
    using error = typename Types::template begin<Error>;
  };
  template <class Operation, class Error>
  static void error(Operation& o, Error&& e) noexcept {
    o.go_on(std::forward<Error>(e));
  }
};
struct let_stopped_kind : passing_on {
  using signal = set_stopped_t;
  template <class Ends, class First>
  struct ends : no_types {
    template <class... T>
    using value = list<First>;
    template <class Nothing>
    using stopped = typename std::conditional_t<std::is_void_v<Nothing>, Ends, Nothing>::template of<>;
  };
  template <class F, class... Env>
  struct map : same_signatures {
    template <class Nothing>
    using stopped =
        typename let_signatures<std::conditional_t<std::is_void_v<Nothing>, F, Nothing>, Env...>::template of<>;
  };
  template <class Types>
  struct kept : no_types {
    template <class Nothing>
    using stopped = list<std::conditional_t<std::is_void_v<Nothing>, std::tuple<>, Types>>;
  };
  template <class Types>
  struct begun : no_types {
    template <class Nothing>
    using stopped = typename std::conditional_t<std::is_void_v<Nothing>, Types, Nothing>::template begin<>;
  };
  template <class Operation>
  static void stopped(Operation& o) noexcept {
    o.go_on();
  }
};

/// Where what comes second is started: its environment says so where that is known.
template <class Scheduler>
struct known_place {
  template <class Env>
  using env_in = execution::env<prop<get_scheduler_t, Scheduler>, Env>;
  template <class Env>
  [[nodiscard]] env_in<Env> env_of(Env around) const noexcept {
    return env_in<Env>(prop(get_scheduler, where), std::move(around));
  }
  Scheduler where;
};
/// Else that is the receiver's.
struct receivers_place {
  template <class Env>
  using env_in = Env;
  template <class Env>
  [[nodiscard]] static Env env_of(Env around) noexcept {
    return around;
  }
};
/// The place where `s` sends this signal.
template <class Signal, class S>
auto place_after(const S& s) noexcept {
  if constexpr (requires { execution::get_completion_scheduler<Signal>(execution::get_env(s)); }) {
    using scheduler = std::remove_cvref_t<decltype(execution::get_completion_scheduler<Signal>(execution::get_env(s)))>;
    return known_place<scheduler>{execution::get_completion_scheduler<Signal>(execution::get_env(s))};
  } else {
    return receivers_place{};
  }
}

/// What comes second tells the receiver everything.
struct second_kind : passing_on {
  template <class Operation>
  static auto environment(const Operation& o) noexcept {
    return o.place.env_of(execution::get_env(o.to));
  }
};

template <class Kind, class Place, class S, class R, class F>
struct let_operation {
  using operation_state_concept = operation_state_t;
  using beneath = completion_signatures_of_t<S, env_of_t<R>>;
  using next_env = typename Place::template env_in<env_of_t<R>>;
  using first_receiver = hearing<Kind, let_operation, env_of_t<R>>;
  using next_receiver = hearing<second_kind, let_operation, next_env>;
  using types = let_types<let_operation, F>;

  R to;
  F f;
  [[no_unique_address]] Place place;
  renamed<slot, collected<beneath, typename Kind::template kept<types>>> kept;
  renamed<slot, collected<beneath, typename Kind::template begun<types>>> second;
  connect_result_t<S, first_receiver> first;

  let_operation(S&& s, R&& r, F&& function, const Place& p) noexcept(
      std::is_nothrow_move_constructible_v<R>&& std::is_nothrow_move_constructible_v<F>&&
          std::is_nothrow_copy_constructible_v<Place>&& connects_quietly<S, first_receiver>)
      : to(std::move(r)),
        f(std::move(function)),
        place(p),
        first(execution::connect(std::forward<S>(s), first_receiver{this})) {}
  let_operation(const let_operation&) = delete;
  let_operation& operator=(const let_operation&) = delete;
  ~let_operation() = default;
  void start() & noexcept { execution::start(first); }

  template <class... T>
  void go_on(T&&... x) noexcept {
    using tuple = std::tuple<std::decay_t<T>...>;
    using operation = connect_result_t<next_sender<F, T...>, next_receiver>;
    operation* begun = nullptr;
    bool const made = attempt<goes_on_quietly<F, next_env, T...>()>(
        [&] {
          auto& values = kept.template emplace<tuple>([&] { return tuple(std::forward<T>(x)...); });
          begun = &second.template emplace<operation>(
              [&] { return execution::connect(std::apply(std::move(f), values), next_receiver{this}); });
        },
        [&](auto error) { execution::set_error(std::move(to), std::move(error)); });
    if (made) execution::start(*begun);
  }
};

template <class Kind, class Place, class S, class F>
struct let_sender : sender_base<let_sender<Kind, Place, S, F>> {
  template <class... Env>
  using signatures = mapped<completion_signatures_of_t<S, Env...>,
                            typename Kind::template map<F, typename Place::template env_in<Env>...>>;
  template <class Start, class Env>
  using ends_at = typename renamed<
      same_end,
      collected<completion_signatures_of_t<S, Env>,
                typename Kind::template ends<let_ends<F, end_of<S, Start, Env>, typename Place::template env_in<Env>>,
                                             end_of<S, Start, Env>>>>::type;
  template <class From, class R>
  static constexpr bool made_quietly =
      std::is_nothrow_constructible_v<let_operation<Kind, Place, From, R, F>, From, R, F, const Place&>;

  S from;
  F f;
  [[no_unique_address]] Place place;

  let_sender(S&& s, F&& function, Place p) : from(std::move(s)), f(std::move(function)), place(std::move(p)) {}

  template <receiver R>
  [[nodiscard]] let_operation<Kind, Place, S, R, F> connect(R r) && noexcept(made_quietly<S, R>) {
    return {std::move(from), std::move(r), std::move(f), place};
  }
  template <receiver R>
  [[nodiscard]] let_operation<Kind, Place, const S&, R, F> connect(R r) const& noexcept(
      made_quietly<const S&, R>&& std::is_nothrow_copy_constructible_v<F>) {
    return {from, std::move(r), F(f), place};
  }
};

template <class Kind>
struct let_call {
  template <sender S, class F>
  [[nodiscard]] constexpr auto operator()(S&& s, F&& f) const {
    using from = std::remove_cvref_t<S>;
    using function = std::decay_t<F>;
    auto const place = place_after<typename Kind::signal>(s);
    return let_sender<Kind, std::remove_cvref_t<decltype(place)>, from, function>(from(std::forward<S>(s)),
                                                                                  function(std::forward<F>(f)), place);
  }
  template <class F>
  [[nodiscard]] constexpr auto operator()(F&& f) const {
    return bind_adaptor(*this, std::forward<F>(f));
  }
};

/// Gives the sender that it keeps.
template <class S>
struct kept_sender {
  S s;
  S operator()() noexcept(std::is_nothrow_move_constructible_v<S>) { return std::move(s); }
};

struct starts_on_call {
  template <scheduler Scheduler, sender S>
  [[nodiscard]] constexpr auto operator()(Scheduler&& where, S&& s) const {
    using first = schedule_result_t<Scheduler>;
    using second = kept_sender<std::remove_cvref_t<S>>;
    using place = known_place<std::remove_cvref_t<Scheduler>>;
    first begin = execution::schedule(where);
    return let_sender<let_value_kind, place, first, second>(std::move(begin), second{std::forward<S>(s)},
                                                            place{std::forward<Scheduler>(where)});
  }
};

}  // namespace detail

/// let_value(sender, f): the sender that `f` makes of its values, which `f` gets as lvalues that live until that has
/// ended. What `f` throws is an error. get_scheduler of that sender's environment says where the first one ends, if
/// that one says it by get_completion_scheduler.
inline constexpr detail::let_call<detail::let_value_kind> let_value{};
/// let_error(sender, f): the same of its error.
inline constexpr detail::let_call<detail::let_error_kind> let_error{};
/// let_stopped(sender, f): the same of nothing, if it was stopped.
inline constexpr detail::let_call<detail::let_stopped_kind> let_stopped{};
/// starts_on(scheduler, sender): the sender, started where the scheduler runs things, which get_scheduler of its
/// environment says, too. It ends wherever it ends.
inline constexpr detail::starts_on_call starts_on{};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
