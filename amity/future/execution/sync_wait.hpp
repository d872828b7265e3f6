#pragma once

/// Waiting for a sender. The fiber waits, never the core.
///
///     auto [answer] = *execution::sync_wait(execution::just(42));

#include <exception>
#include <optional>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "amity/future/execution/signatures.hpp"
#include "amity/future/execution/task_scheduler.hpp"
#include "amity/future/execution/then.hpp"
#include "amity/sync/latch.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {

/// What those who start a sender here and now say: that what it starts had best run on tasks.
struct task_env {
  [[nodiscard]] static task_scheduler query(get_scheduler_t) noexcept { return {}; }
#if !defined(AMITY_SENDERS)  // older libraries have another name for it
  [[nodiscard]] static task_scheduler query(get_delegation_scheduler_t) noexcept { return {}; }
#endif
};

/// Any error as one that can be thrown; a std::error_code as C++26 has it, in a std::system_error.
template <class Error>
[[nodiscard]] std::exception_ptr as_exception(Error&& e) noexcept {
  if constexpr (std::is_same_v<std::remove_cvref_t<Error>, std::exception_ptr>)
    return std::forward<Error>(e);
  else if constexpr (std::is_same_v<std::remove_cvref_t<Error>, std::error_code>)
    return std::make_exception_ptr(std::system_error(e));
  else
    return std::make_exception_ptr(std::forward<Error>(e));
}

template <class Values>
struct waiting_receiver {
  using receiver_concept = receiver_t;
  struct outcome {
    std::variant<std::monostate, Values, std::exception_ptr> is;  // the first: stopped
    sync::latch done{1};
  };
  outcome* to;
  template <class... T>
  void set_value(T&&... x) && noexcept {
    auto error = amity::detail::caught([&] { to->is.template emplace<1>(std::forward<T>(x)...); });
    if (error != nullptr) to->is.template emplace<2>(std::move(error));
    to->done.count_down();
  }
  template <class Error>
  void set_error(Error&& e) && noexcept {
    to->is.template emplace<2>(as_exception(std::forward<Error>(e)));
    to->done.count_down();
  }
  void set_stopped() && noexcept { to->done.count_down(); }
  [[nodiscard]] static task_env get_env() noexcept { return {}; }
};

struct sync_wait_call {
  template <sender S>
  [[nodiscard]] auto operator()(S&& s) const {
    ask_for_one_way<completion_signatures_of_t<S, task_env>>();
    using values = only_values<completion_signatures_of_t<S, task_env>>;
    using waits = waiting_receiver<values>;
    typename waits::outcome outcome;
    auto operation = execution::connect(std::forward<S>(s), waits{&outcome});
    execution::start(operation);
    outcome.done.wait();
    if (outcome.is.index() == 2) std::rethrow_exception(std::get<2>(std::move(outcome.is)));
    std::optional<values> result;
    if (outcome.is.index() == 1) result.emplace(std::move(std::get<1>(outcome.is)));
    return result;
  }
};

struct sync_wait_with_variant_call {
  template <sender S>
  [[nodiscard]] auto operator()(S&& s) const {
    auto result = sync_wait_call{}(adaptor_alone<into_variant_kind>{}(std::forward<S>(s)));
    using either = std::tuple_element_t<0, typename decltype(result)::value_type>;
    return result.has_value() ? std::optional<either>(std::get<0>(std::move(*result))) : std::nullopt;
  }
};

}  // namespace detail

/// Runs a sender and waits, which blocks the fiber and not the core: a std::optional of a tuple of the values, empty if
/// it was stopped; throws its error (a std::error_code as std::system_error). The sender may end with values in one way
/// only (into_variant makes one of several).
inline constexpr detail::sync_wait_call sync_wait{};
/// The same of a sender that may end with values in several ways: a std::optional of a std::variant of tuples.
inline constexpr detail::sync_wait_with_variant_call sync_wait_with_variant{};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
