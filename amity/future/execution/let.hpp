#pragma once

/// Senders that depend on how another one has ended, and what runs where.
///
///     execution::just(n) | execution::let_value([](int& n) { return rows(n); })     // n lives until rows(n) has ended
///     execution::starts_on(amity::get_scheduler(), work)

#include <exception>
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
template <class F, class... Env>
struct let_signatures {
  template <class... T>
  using of = all_signatures<completion_signatures_of_t<next_sender<F, T...>, Env...>, may_throw>;
};

/// The kinds: which signal is looked at, and how it reads as values.
struct let_value_kind : passing_on {
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

/// The environment of what comes second is the receiver's.
struct same_place {
  template <class R, class F>
  using env = env_of_t<R>;
  template <class R, class F>
  static auto environment(const R& to, const F&) noexcept {
    return execution::get_env(to);
  }
};
/// It says where that runs.
struct other_place {
  template <class Scheduler, class Env>
  using there = execution::env<prop<get_scheduler_t, Scheduler>, Env>;
  template <class R, class F>
  using env = there<typename F::scheduler_type, env_of_t<R>>;
  template <class R, class F>
  static auto environment(const R& to, const F& f) noexcept {
    return env<R, F>(prop<get_scheduler_t, typename F::scheduler_type>(get_scheduler_t{}, f.where),
                     execution::get_env(to));
  }
};

/// What comes second tells the receiver everything.
template <class Place>
struct second_kind : passing_on {
  template <class Operation>
  static auto environment(const Operation& o) noexcept {
    return Place::environment(o.to, o.f);
  }
};

template <class Kind, class Place, class S, class R, class F>
struct let_operation {
  using operation_state_concept = operation_state_t;
  using beneath = completion_signatures_of_t<S, env_of_t<R>>;
  using first_receiver = hearing<Kind, let_operation, env_of_t<R>>;
  using next_receiver = hearing<second_kind<Place>, let_operation, typename Place::template env<R, F>>;
  using types = let_types<let_operation, F>;

  R to;
  F f;
  renamed<slot, collected<beneath, typename Kind::template kept<types>>> kept;
  renamed<slot, collected<beneath, typename Kind::template begun<types>>> second;
  connect_result_t<S, first_receiver> first;

  let_operation(S&& s, R&& r, F&& function)
      : to(std::move(r)), f(std::move(function)), first(execution::connect(std::forward<S>(s), first_receiver{this})) {}
  let_operation(const let_operation&) = delete;
  let_operation& operator=(const let_operation&) = delete;
  ~let_operation() = default;
  void start() & noexcept { execution::start(first); }

  template <class... T>
  void go_on(T&&... x) noexcept {
    using tuple = std::tuple<std::decay_t<T>...>;
    using operation = connect_result_t<next_sender<F, T...>, next_receiver>;
    operation* begun = nullptr;
    auto error = amity::detail::caught([&] {
      auto& values = kept.template emplace<tuple>([&] { return tuple(std::forward<T>(x)...); });
      begun = &second.template emplace<operation>(
          [&] { return execution::connect(std::apply(std::move(f), values), next_receiver{this}); });
    });
    if (error == nullptr)
      execution::start(*begun);
    else
      execution::set_error(std::move(to), std::move(error));
  }
};

template <class Kind, class Place, class S, class F>
struct let_sender : sender_base<let_sender<Kind, Place, S, F>> {
  template <class... Env>
  struct signatures_in {
    using type = mapped<completion_signatures_of_t<S, Env...>, typename Kind::template map<F, Env...>>;
  };
  template <class... Env>
  using signatures = typename signatures_in<Env...>::type;

  S from;
  F f;

  let_sender(S&& s, F&& function) : from(std::move(s)), f(std::move(function)) {}

  template <receiver R>
  [[nodiscard]] let_operation<Kind, Place, S, R, F> connect(R r) && {
    return {std::move(from), std::move(r), std::move(f)};
  }
  template <receiver R>
  [[nodiscard]] let_operation<Kind, Place, const S&, R, F> connect(R r) const& {
    return {from, std::move(r), F(f)};
  }
};

template <class Kind>
struct let_call {
  template <sender S, class F>
  [[nodiscard]] constexpr auto operator()(S&& s, F&& f) const {
    using from = std::remove_cvref_t<S>;
    using function = std::decay_t<F>;
    return let_sender<Kind, same_place, from, function>(from(std::forward<S>(s)), function(std::forward<F>(f)));
  }
  template <class F>
  [[nodiscard]] constexpr auto operator()(F&& f) const {
    return bind_adaptor(*this, std::forward<F>(f));
  }
};

/// Gives the sender that it keeps, and knows where that will run.
template <class Scheduler, class S>
struct sender_there {
  using scheduler_type = Scheduler;
  Scheduler where;
  S s;
  S operator()() { return std::move(s); }
};

struct starts_on_call {
  template <scheduler Scheduler, sender S>
  [[nodiscard]] constexpr auto operator()(Scheduler&& where, S&& s) const {
    using first = schedule_result_t<Scheduler>;
    using second = sender_there<std::remove_cvref_t<Scheduler>, std::remove_cvref_t<S>>;
    first begin = execution::schedule(where);
    return let_sender<let_value_kind, other_place, first, second>(
        std::move(begin), second{std::forward<Scheduler>(where), std::forward<S>(s)});
  }
};

}  // namespace detail

/// let_value(sender, f): the sender that `f` makes of its values, which `f` gets as lvalues that live until that has
/// ended. What `f` throws is an error.
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
