#pragma once

/// Goes on elsewhere.
///
///     read(file) | execution::continues_on(amity::get_scheduler()) | execution::then(parse)
///     execution::on(amity::get_scheduler(), work)       // there, and back to where it was started
///     read(file) | execution::on(amity::get_scheduler(), execution::then(parse)) | execution::then(show)

#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/future/execution/adapted.hpp"
#include "amity/future/execution/closure.hpp"
#include "amity/future/execution/let.hpp"
#include "amity/future/execution/slot.hpp"
#include "amity/future/execution/write_env.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {

struct all_kept {
  template <class... T>
  using value = list<std::tuple<std::decay_t<T>...>>;
  template <class Error>
  using error = list<std::tuple<std::decay_t<Error>>>;
  template <class Nothing>
  using stopped = list<>;
};

/// Keeps how it ended, and schedules.
struct leaving_kind : passing_on {
  template <class Operation, class... T>
  static void value(Operation& o, T&&... x) noexcept {
    using tuple = std::tuple<std::decay_t<T>...>;
    o.template keep<tuple>(
        [](Operation& self) noexcept {
          auto send = [&](auto&... y) { execution::set_value(std::move(self.to), std::move(y)...); };
          std::apply(send, self.kept.template get<tuple>());
        },
        std::forward<T>(x)...);
  }
  template <class Operation, class Error>
  static void error(Operation& o, Error&& e) noexcept {
    using tuple = std::tuple<std::decay_t<Error>>;
    o.template keep<tuple>(
        [](Operation& self) noexcept {
          execution::set_error(std::move(self.to), std::move(std::get<0>(self.kept.template get<tuple>())));
        },
        std::forward<Error>(e));
  }
  template <class Operation>
  static void stopped(Operation& o) noexcept {
    o.deliver = [](Operation& self) noexcept { execution::set_stopped(std::move(self.to)); };
    execution::start(o.second);
  }
};
/// Has got there.
struct arriving_kind : passing_on {
  template <class Operation>
  static void value(Operation& o) noexcept {
    o.deliver(o);
  }
};

template <class S, class Scheduler, class R>
struct continues_on_operation {
  using operation_state_concept = operation_state_t;
  using beneath = completion_signatures_of_t<S, env_of_t<R>>;
  using first_receiver = hearing<leaving_kind, continues_on_operation, env_of_t<R>>;
  using second_receiver = hearing<arriving_kind, continues_on_operation, env_of_t<R>>;

  R to;
  renamed<slot, collected<beneath, all_kept>> kept;
  void (*deliver)(continues_on_operation&) noexcept = nullptr;
  connect_result_t<schedule_result_t<Scheduler>, second_receiver> second;
  connect_result_t<S, first_receiver> first;

  continues_on_operation(S&& s, const Scheduler& where, R&& r) noexcept(
      std::is_nothrow_move_constructible_v<R>&& noexcept(execution::schedule(where)) &&
      connects_quietly<schedule_result_t<Scheduler>, second_receiver> && connects_quietly<S, first_receiver>)
      : to(std::move(r)),
        second(execution::connect(execution::schedule(where), second_receiver{this})),
        first(execution::connect(std::forward<S>(s), first_receiver{this})) {}
  continues_on_operation(const continues_on_operation&) = delete;
  continues_on_operation& operator=(const continues_on_operation&) = delete;
  ~continues_on_operation() = default;
  void start() & noexcept { execution::start(first); }

  template <class Tuple, class... T>
  void keep(void (*how)(continues_on_operation&) noexcept, T&&... x) noexcept {
    deliver = how;
    bool const kept_it =
        attempt<kept_quietly<T...>>([&] { kept.template emplace<Tuple>([&] { return Tuple(std::forward<T>(x)...); }); },
                                    [&](auto error) { execution::set_error(std::move(to), std::move(error)); });
    if (kept_it) execution::start(second);
  }
};

template <class S, class Scheduler>
struct continues_on_sender : sender_base<continues_on_sender<S, Scheduler>> {
  /// It doesn't say that it got there: what comes after does.
  struct arrived : same_signatures {
    template <class... T>
    using value = completion_signatures<>;
  };
  template <class... Env>
  using signatures = all_signatures<mapped<completion_signatures_of_t<S, Env...>, kept_or_thrown>,
                                    mapped<completion_signatures_of_t<schedule_result_t<Scheduler>, Env...>, arrived>>;
  template <class Start, class Env>
  using ends_at = Scheduler;

  S from;
  Scheduler where;

  continues_on_sender(S&& s, Scheduler w) : from(std::move(s)), where(std::move(w)) {}

  template <receiver R>
  [[nodiscard]] continues_on_operation<S, Scheduler, R> connect(R r) && noexcept(
      std::is_nothrow_constructible_v<continues_on_operation<S, Scheduler, R>, S, const Scheduler&, R>) {
    return {std::move(from), where, std::move(r)};
  }
  template <receiver R>
  [[nodiscard]] continues_on_operation<const S&, Scheduler, R> connect(R r) const& noexcept(
      std::is_nothrow_constructible_v<continues_on_operation<const S&, Scheduler, R>, const S&, const Scheduler&, R>) {
    return {from, where, std::move(r)};
  }
  [[nodiscard]] auto get_env() const noexcept {
    return env(prop(get_completion_scheduler<set_value_t>, where),
               prop(get_completion_scheduler<set_stopped_t>, where));
  }
};

struct continues_on_call {
  template <sender S, scheduler Scheduler>
  [[nodiscard]] constexpr auto operator()(S&& s, Scheduler&& where) const {
    using from = std::remove_cvref_t<S>;
    return continues_on_sender<from, std::remove_cvref_t<Scheduler>>(from(std::forward<S>(s)),
                                                                     std::forward<Scheduler>(where));
  }
  template <scheduler Scheduler>
  [[nodiscard]] constexpr auto operator()(Scheduler&& where) const {
    return bind_adaptor(*this, std::forward<Scheduler>(where));
  }
};
struct schedule_from_call {
  template <scheduler Scheduler, sender S>
  [[nodiscard]] constexpr auto operator()(Scheduler&& where, S&& s) const {
    return continues_on_call{}(std::forward<S>(s), std::forward<Scheduler>(where));
  }
};

/// There, and back to where the receiver's environment says.
template <class S, class Scheduler>
struct on_sender : sender_base<on_sender<S, Scheduler>> {
  using there = decltype(starts_on_call{}(std::declval<Scheduler>(), std::declval<S>()));
  template <class Env>
  using home = std::remove_cvref_t<decltype(execution::get_scheduler(std::declval<const Env&>()))>;
  template <class Env>
  using signatures = completion_signatures_of_t<continues_on_sender<there, home<Env>>, Env>;
  template <class Start, class Env>
  using ends_at = home<Env>;

  S from;
  Scheduler where;

  on_sender(S&& s, Scheduler w) : from(std::move(s)), where(std::move(w)) {}

  template <receiver R>
  [[nodiscard]] auto connect(R r) && {
    auto back = execution::get_scheduler(execution::get_env(r));
    return execution::connect(continues_on_call{}(starts_on_call{}(where, std::move(from)), std::move(back)),
                              std::move(r));
  }
  template <receiver R>
  [[nodiscard]] auto connect(R r) const& {
    return on_sender(S(from), where).connect(std::move(r));
  }
};

/// What comes after a sender elsewhere, and back to where the sender ends: it says where that is, or the receiver's
/// environment does.
template <class S, class Scheduler, class Closure>
struct on_with_closure_sender : sender_base<on_with_closure_sender<S, Scheduler, Closure>> {
  template <class Env>
  static auto find_home(const S& s, const Env& e) {
    if constexpr (requires { execution::get_completion_scheduler<set_value_t>(execution::get_env(s)); })
      return execution::get_completion_scheduler<set_value_t>(execution::get_env(s));
    else if constexpr (requires { execution::get_scheduler(e); })
      return execution::get_scheduler(e);
  }
  template <class Env>
  using home = decltype(find_home(std::declval<const S&>(), std::declval<const Env&>()));
  template <class Home>
  static auto whole(S&& s, const Scheduler& where, Closure&& after, const Home& home) {
    auto there = continues_on_call{}(write_env_call{}(std::move(s), prop(get_scheduler, home)), where);
    return write_env_call{}(continues_on_call{}(std::move(after)(std::move(there)), home), prop(get_scheduler, where));
  }
  template <class Env>
  requires scheduler<home<Env>>
  using whole_in = decltype(whole(std::declval<S>(), std::declval<const Scheduler&>(), std::declval<Closure>(),
                                  std::declval<const home<Env>&>()));
  template <class Env>
  using signatures = completion_signatures_of_t<whole_in<Env>, Env>;
  template <class Start, class Env>
  using ends_at = home<Env>;

  S from;
  Scheduler where;
  Closure after;

  on_with_closure_sender(S&& s, Scheduler w, Closure c)
      : from(std::move(s)), where(std::move(w)), after(std::move(c)) {}

  template <receiver R>
  [[nodiscard]] auto connect(R r) && {
    auto const back = find_home(from, execution::get_env(r));
    return execution::connect(whole(std::move(from), where, std::move(after), back), std::move(r));
  }
  template <receiver R>
  [[nodiscard]] auto connect(R r) const& {
    return on_with_closure_sender(S(from), where, Closure(after)).connect(std::move(r));
  }
};

struct on_call {
  template <scheduler Scheduler, sender S>
  [[nodiscard]] constexpr auto operator()(Scheduler&& where, S&& s) const {
    using from = std::remove_cvref_t<S>;
    return on_sender<from, std::remove_cvref_t<Scheduler>>(from(std::forward<S>(s)), std::forward<Scheduler>(where));
  }
  template <sender S, scheduler Scheduler, closure Closure>
  [[nodiscard]] constexpr auto operator()(S&& s, Scheduler&& where, Closure&& after) const {
    using from = std::remove_cvref_t<S>;
    return on_with_closure_sender<from, std::remove_cvref_t<Scheduler>, std::remove_cvref_t<Closure>>(
        from(std::forward<S>(s)), std::forward<Scheduler>(where), std::forward<Closure>(after));
  }
  template <scheduler Scheduler, closure Closure>
  [[nodiscard]] constexpr auto operator()(Scheduler&& where, Closure&& after) const {
    return bind_adaptor(*this, std::forward<Scheduler>(where), std::forward<Closure>(after));
  }
};

}  // namespace detail

/// continues_on(sender, scheduler): how the sender ends, but said where the scheduler runs things. If that says that it
/// was stopped, or failed, so does this one.
inline constexpr detail::continues_on_call continues_on{};
/// The same, by the name that it had in the proposal.
inline constexpr detail::continues_on_call transfer{};
/// schedule_from(scheduler, sender): the same.
inline constexpr detail::schedule_from_call schedule_from{};
/// on(scheduler, sender): the sender, started where the scheduler runs things; then back to where get_scheduler of the
/// receiver's environment says, which must say so: sync_wait and spawn do.
/// on(sender, scheduler, closure), and sender | on(scheduler, closure): what `closure` makes of the sender, there; then
/// back to where the sender ends: its get_completion_scheduler says it, or get_scheduler of the receiver's environment.
inline constexpr detail::on_call on{};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
