#pragma once

/// The words of senders where there is no library of them: names and meanings are those of C++26's [exec].

#include <concepts>
#include <type_traits>
#include <utility>

#include "amity/future/execution/library.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

/// What a sender's `sender_concept` is.
struct sender_t {};
/// What a receiver's `receiver_concept` is.
struct receiver_t {};
/// What an operation's `operation_state_concept` is.
struct operation_state_t {};
/// What a scheduler's `scheduler_concept` is.
struct scheduler_t {};

/// In which ways a sender may end: `set_value_t(T...)`, `set_error_t(E)` and `set_stopped_t()`, each as often as there
/// are types.
template <class... Signatures>
struct completion_signatures {};

/// The type of set_value.
struct set_value_t {
  /// Calls the receiver's own set_value, which must not throw.
  template <class Receiver, class... T>
  requires requires(Receiver&& r, T&&... x) { std::forward<Receiver>(r).set_value(std::forward<T>(x)...); }
  constexpr void operator()(Receiver&& r, T&&... x) const noexcept {
    std::forward<Receiver>(r).set_value(std::forward<T>(x)...);
  }
};
/// The type of set_error.
struct set_error_t {
  /// Calls the receiver's own set_error, which must not throw.
  template <class Receiver, class Error>
  requires requires(Receiver&& r, Error&& e) { std::forward<Receiver>(r).set_error(std::forward<Error>(e)); }
  constexpr void operator()(Receiver&& r, Error&& e) const noexcept {
    std::forward<Receiver>(r).set_error(std::forward<Error>(e));
  }
};
/// The type of set_stopped.
struct set_stopped_t {
  /// Calls the receiver's own set_stopped, which must not throw.
  template <class Receiver>
  requires requires(Receiver&& r) { std::forward<Receiver>(r).set_stopped(); }
  constexpr void operator()(Receiver&& r) const noexcept { std::forward<Receiver>(r).set_stopped(); }
};
/// Tells a receiver, given as an rvalue, that it is done, and these are the values. Doesn't block, doesn't throw.
inline constexpr set_value_t set_value{};
/// Tells a receiver, given as an rvalue, that it failed. Doesn't block, doesn't throw.
inline constexpr set_error_t set_error{};
/// Tells a receiver, given as an rvalue, that it was stopped. Doesn't block, doesn't throw.
inline constexpr set_stopped_t set_stopped{};

namespace detail {
template <class Environment, class Query, class... Arguments>
concept answers = requires(const std::remove_cvref_t<Environment>& e, const Query& q, Arguments&&... x) {
  e.query(q, x...);
};
}  // namespace detail

/// A token that nobody stops: what an environment without one has.
struct never_stop_token {
  /// Never calls.
  template <class F>
  struct callback_type {
    /// Forgets both.
    template <class G>
    constexpr callback_type(never_stop_token, G&&) noexcept {}
  };
  /// Never.
  [[nodiscard]] static constexpr bool stop_requested() noexcept { return false; }
  /// Never.
  [[nodiscard]] static constexpr bool stop_possible() noexcept { return false; }
  /// Always.
  [[nodiscard]] bool operator==(const never_stop_token&) const noexcept = default;
};

/// The type of forwarding_query.
struct forwarding_query_t {
  /// What the question says of itself; else whether it is derived from this type.
  template <class Query>
  [[nodiscard]] constexpr bool operator()(const Query& q) const noexcept {
    if constexpr (requires {
                    { q.query(*this) } -> std::same_as<bool>;
                  })
      return q.query(*this);
    else
      return std::derived_from<Query, forwarding_query_t>;
  }
};
/// Of a question: whether an adaptor passes it on to those around it. Amity's pass on all.
inline constexpr forwarding_query_t forwarding_query{};

/// The type of get_allocator.
struct get_allocator_t : forwarding_query_t {
  /// What the environment says.
  template <class Environment>
  requires detail::answers<Environment, get_allocator_t>
  [[nodiscard]] constexpr auto operator()(const Environment& e) const noexcept { return e.query(*this); }
};
/// Of an environment: with what its owner would have memory taken.
inline constexpr get_allocator_t get_allocator{};

/// The type of get_stop_token.
struct get_stop_token_t {
  /// It is passed on.
  [[nodiscard]] static constexpr bool query(forwarding_query_t) noexcept { return true; }
  /// What the environment's `query` says, or its `get_stop_token()`; a token that nobody stops if it has neither.
  template <class Environment>
  [[nodiscard]] constexpr auto operator()(const Environment& e) const noexcept {
    if constexpr (detail::answers<Environment, get_stop_token_t>)
      return e.query(*this);
    else if constexpr (requires { e.get_stop_token(); })
      return e.get_stop_token();
    else
      return never_stop_token{};
  }
};
/// The type of get_scheduler.
struct get_scheduler_t {
  /// It is passed on.
  [[nodiscard]] static constexpr bool query(forwarding_query_t) noexcept { return true; }
  /// What the environment says.
  template <class Environment>
  requires detail::answers<Environment, get_scheduler_t>
  [[nodiscard]] constexpr auto operator()(const Environment& e) const noexcept { return e.query(*this); }
};
/// The type of get_delegation_scheduler.
struct get_delegation_scheduler_t {
  /// It is passed on.
  [[nodiscard]] static constexpr bool query(forwarding_query_t) noexcept { return true; }
  /// What the environment says.
  template <class Environment>
  requires detail::answers<Environment, get_delegation_scheduler_t>
  [[nodiscard]] constexpr auto operator()(const Environment& e) const noexcept { return e.query(*this); }
};
/// The type of get_completion_scheduler.
template <class Signal>
struct get_completion_scheduler_t {
  /// What a sender's environment says.
  template <class Environment>
  requires detail::answers<Environment, get_completion_scheduler_t>
  [[nodiscard]] constexpr auto operator()(const Environment& e) const noexcept { return e.query(*this); }
};

/// What a scheduler promises of what it has begun.
enum class forward_progress_guarantee {
  concurrent,      ///< it gets on, whatever others do
  parallel,        ///< it gets on once it has begun
  weakly_parallel  ///< it may wait for others
};
/// The type of get_forward_progress_guarantee.
struct get_forward_progress_guarantee_t {
  /// What the scheduler says; weakly_parallel if it says nothing.
  template <class Scheduler>
  [[nodiscard]] constexpr forward_progress_guarantee operator()(const Scheduler& s) const noexcept {
    if constexpr (detail::answers<Scheduler, get_forward_progress_guarantee_t>)
      return s.query(*this);
    else
      return forward_progress_guarantee::weakly_parallel;
  }
};

/// Of an environment: the token by which its owner is asked to stop.
inline constexpr get_stop_token_t get_stop_token{};
/// Of an environment: where its owner would have things run.
inline constexpr get_scheduler_t get_scheduler{};
/// Of an environment: where its owner would have things run that it waits for itself.
inline constexpr get_delegation_scheduler_t get_delegation_scheduler{};
/// Of a sender's environment: where it sends `Signal`, which is set_value_t, set_error_t or set_stopped_t.
template <class Signal>
inline constexpr get_completion_scheduler_t<Signal> get_completion_scheduler{};
/// Of a scheduler: what it promises of what it has begun.
inline constexpr get_forward_progress_guarantee_t get_forward_progress_guarantee{};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
