#pragma once

/// Several senders at a time.
///
///     auto [a, b] = *execution::sync_wait(execution::when_all(left, right));
///
/// All are started, one after the other, and run at a time if they start where others run things (schedule,
/// starts_on). The first error, or the first of them that was stopped, asks the others to stop; so does whoever asks
/// the whole to stop.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/future/execution/adapted.hpp"
#include "amity/future/execution/slot.hpp"
#include "amity/future/execution/stop.hpp"
#include "amity/future/execution/then.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {

/// The receiver's environment, but for the token.
template <class Env>
struct branch_env {
  Env around;
  branch_token stop;
  [[nodiscard]] branch_token query(get_stop_token_t) const noexcept { return stop; }
  template <class Query, class... Arguments>
  requires(!std::is_same_v<Query, get_stop_token_t> && answers<Env, Query, Arguments...>) [[nodiscard]] decltype(auto)
      query(const Query& q, Arguments&&... x) const noexcept {
    return around.query(q, std::forward<Arguments>(x)...);
  }
};

/// One of several has ended in some way.
template <std::size_t I>
struct branch_kind {
  template <class Operation, class... T>
  static void value(Operation& o, T&&... x) noexcept {
    attempt<kept_quietly<T...>>([&] { std::get<I>(o.values).emplace(std::forward<T>(x)...); },
                                [&](auto thrown) { o.fail(std::move(thrown)); });
    o.arrive();
  }
  template <class Operation, class Error>
  static void error(Operation& o, Error&& e) noexcept {
    o.fail(std::forward<Error>(e));
    o.arrive();
  }
  template <class Operation>
  static void stopped(Operation& o) noexcept {
    o.stop_others();
    o.arrive();
  }
  template <class Operation>
  static auto environment(const Operation& o) noexcept {
    return o.environment();
  }
};

template <class... Signatures>
using all_errors = all_types<collected<Signatures, errors_decayed>..., list<std::exception_ptr>>;

/// An operation made in place.
template <std::size_t I, class Operation>
struct branch {
  Operation operation;
  template <class Make>
  explicit branch(Make&& make) : operation(std::forward<Make>(make)()) {}
};

template <class Operation, class Numbers, class... S>
struct branches;
template <class Operation, std::size_t... I, class... S>
struct branches<Operation, std::index_sequence<I...>, S...>
    : branch<I, connect_result_t<S, hearing<branch_kind<I>, Operation, typename Operation::env>>>... {
  template <std::size_t J>
  using receiver_of_branch = hearing<branch_kind<J>, Operation, typename Operation::env>;
  template <class Tuple>
  branches(Operation* o, Tuple&& senders)
      : branch<I, connect_result_t<S, receiver_of_branch<I>>>(
            [&] { return execution::connect(static_cast<S&&>(std::get<I>(senders)), receiver_of_branch<I>{o}); })... {}
  void start() noexcept {
    (execution::start(static_cast<branch<I, connect_result_t<S, receiver_of_branch<I>>>&>(*this).operation), ...);
  }
};

/// `S`: the senders as they are connected.
template <class R, class... S>
class when_all_operation {
 public:
  using operation_state_concept = operation_state_t;
  using env = branch_env<env_of_t<R>>;

  template <class Tuple>
  when_all_operation(R&& r, Tuple&& senders) : to_(std::move(r)), children_(this, senders) {}
  when_all_operation(const when_all_operation&) = delete;
  when_all_operation& operator=(const when_all_operation&) = delete;
  ~when_all_operation() = default;

  void start() & noexcept {
    asked_.emplace(execution::get_stop_token(execution::get_env(to_)), forward_stop{this});
    if (stop_.stop_requested()) {
      asked_.reset();
      return execution::set_stopped(std::move(to_));
    }
    children_.start();  // the last to end may take this operation away
  }

  // --- for the branches

  template <class Error>
  void fail(Error&& e) noexcept {
    // Relaxed: arrive() passes on what the first one keeps.
    if (how_.exchange(failed, std::memory_order_relaxed) != failed) {
      attempt<kept_quietly<Error>>([&] { keep_error(std::forward<Error>(e)); },
                                   [&](auto thrown) { keep_error(std::move(thrown)); });
      request_stop();
    }
  }
  void stop_others() noexcept {
    std::uint8_t going_on = values_only;
    if (how_.compare_exchange_strong(going_on, was_stopped, std::memory_order_relaxed)) request_stop();
  }
  void arrive() noexcept {
    // Acquire and release: the last one knows what all have kept.
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) finish();
  }
  [[nodiscard]] env environment() const noexcept { return {execution::get_env(to_), {stop_.get_token()}}; }

  std::tuple<std::optional<only_values<completion_signatures_of_t<S, env>>>...> values;

 private:
  static constexpr std::uint8_t values_only = 0, was_stopped = 1, failed = 2;
  struct forward_stop {
    when_all_operation* o;
    void operator()() const noexcept { o->request_stop(); }
  };
  using token = std::remove_cvref_t<decltype(execution::get_stop_token(std::declval<env_of_t<R>>()))>;

  template <class Error>
  void keep_error(Error&& e) {
    using kept = std::decay_t<Error>;
    error_.template emplace<kept>([&] { return kept(std::forward<Error>(e)); });
    send_error_ = [](when_all_operation& o) noexcept {
      execution::set_error(std::move(o.to_), std::move(o.error_.template get<kept>()));
    };
  }
  void request_stop() noexcept {
    std::stop_source kept = stop_;  // the stop may end the last sender, and this operation be gone then
    kept.request_stop();
  }
  void finish() noexcept {
    asked_.reset();
    switch (how_.load(std::memory_order_relaxed)) {
      case failed:
        return send_error_(*this);
      case was_stopped:
        return execution::set_stopped(std::move(to_));
      default:
        break;
    }
    if constexpr ((has_values<completion_signatures_of_t<S, env>> && ...)) {
      auto send = [this](auto&... one) {
        std::apply([this](auto&... x) { execution::set_value(std::move(to_), std::move(x)...); },
                   std::tuple_cat(std::apply([](auto&... x) { return std::tie(x...); }, *one)...));
      };
      std::apply(send, values);
    }
  }

  R to_;
  std::atomic<std::size_t> left_{sizeof...(S)};
  std::atomic<std::uint8_t> how_{values_only};
  std::stop_source stop_;  ///< before the branches, which may ask for its token when they are connected
  std::optional<typename callback_of<token, forward_stop>::type> asked_;
  renamed<slot, all_errors<completion_signatures_of_t<S, env>...>> error_;
  void (*send_error_)(when_all_operation&) noexcept = nullptr;
  branches<when_all_operation, std::index_sequence_for<S...>, S...> children_;
};

template <class... Tuples>
struct values_together;
template <class... T>
struct values_together<std::tuple<T...>> {
  using type = completion_signatures<set_value_t(T...)>;
};

template <class... S>
struct when_all_sender : sender_base<when_all_sender<S...>> {
  template <class... BranchEnv>
  struct signatures_in {};
  /// Each may end with values in one way.
  template <class... BranchEnv>
  requires((sender_in<S, BranchEnv...> &&
            has_one_way<found_signatures<S, BranchEnv...>>)&&...) struct signatures_in<BranchEnv...> {
    template <class T>
    using of = completion_signatures_of_t<T, BranchEnv...>;
    struct errors_only : kept_or_thrown {
      template <class... T>
      using value = throws_unless<kept_quietly<T...>>;
    };
    using values = decltype(std::tuple_cat(std::declval<only_values<of<S>>>()...));
    using with_values = typename values_together<values>::type;
    using type = all_signatures<std::conditional_t<(has_values<of<S>> && ...), with_values, completion_signatures<>>,
                                mapped<of<S>, errors_only>..., may_stop>;
  };
  template <class... Env>
  using signatures = typename signatures_in<branch_env<Env>...>::type;
  template <class Start, class Env>
  using ends_at = typename same_end<end_of<S, Start, branch_env<Env>>...>::type;

  std::tuple<S...> from;

  explicit when_all_sender(std::in_place_t, S&&... s) : from(std::move(s)...) {}

  template <receiver R>
  [[nodiscard]] when_all_operation<R, S...> connect(R r) && {
    return {std::move(r), from};
  }
  template <receiver R>
  [[nodiscard]] when_all_operation<R, const S&...> connect(R r) const& {
    return {std::move(r), from};
  }
};

struct when_all_call {
  template <sender... S>
  requires(sizeof...(S) > 0) [[nodiscard]] constexpr auto operator()(S&&... s) const {
    return when_all_sender<std::remove_cvref_t<S>...>(std::in_place, std::remove_cvref_t<S>(std::forward<S>(s))...);
  }
};

struct when_all_with_variant_call {
  template <sender... S>
  requires(sizeof...(S) > 0) [[nodiscard]] constexpr auto operator()(S&&... s) const {
    return when_all_call{}(adaptor_alone<into_variant_kind>{}(std::forward<S>(s))...);
  }
};

}  // namespace detail

/// when_all(senders...): the values of all, one after the other. Each may end with values in one way only. Ends when
/// all have ended; with an error if one had one, the first; stopped if one was stopped.
inline constexpr detail::when_all_call when_all{};
/// when_all_with_variant(senders...): the same of senders that may end with values in several ways: into_variant of
/// each.
inline constexpr detail::when_all_with_variant_call when_all_with_variant{};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
