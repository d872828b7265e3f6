#pragma once

/// A base for promises of a program's own coroutines, in which senders may then be awaited, as in C++26.
///
///     struct promise : amity::execution::with_awaitable_senders<promise> { ... };
///     my_task f() { int x = co_await (ex::just(20) | ex::then(twice)); ... }
///
/// The coroutine goes on where the sender ends, at once. A sender that is stopped doesn't throw: the coroutine is not
/// resumed any more, and the one that awaits it (its continuation) is told, by unhandled_stopped() of its promise, and
/// so on outwards; what is not told anybody ends the program.

// clang-format off: first, because <coroutine> has words of its own for older compilers
#include "amity/base/language.hpp"
// clang-format on

#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>
#include <variant>

#include "amity/future/execution/as_awaitable.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {

/// The environment of a coroutine: its promise's, if it has one.
template <class Promise>
auto env_of_promise(const Promise& p) {
  if constexpr (requires { p.get_env(); })
    return p.get_env();
  else
    return env<>{};
}

/// A sender for a coroutine whose promise has unhandled_stopped().
template <class S, class Promise>
class stoppable_awaiter {
  using environment = decltype(env_of_promise(std::declval<const Promise&>()));

 public:
  using value_type = typename joined_values<only_values<completion_signatures_of_t<S, environment>>>::type;

  stoppable_awaiter(S&& s, Promise& p)
      : promise_(p), operation_(execution::connect(std::forward<S>(s), receiver_type{this})) {}
  stoppable_awaiter(const stoppable_awaiter&) = delete;
  stoppable_awaiter& operator=(const stoppable_awaiter&) = delete;
  ~stoppable_awaiter() = default;

  [[nodiscard]] static bool await_ready() noexcept { return false; }
  /// The coroutine is suspended by now: it may go on, and this end, before start() returns.
  void await_suspend(std::coroutine_handle<Promise>) noexcept { execution::start(operation_); }
  value_type await_resume() {
    if (outcome_.index() == 2) std::rethrow_exception(std::move(std::get<2>(outcome_)));
    if constexpr (!std::is_void_v<value_type>) return std::move(std::get<1>(outcome_));
  }

 private:
  struct receiver_type {
    using receiver_concept = receiver_t;
    stoppable_awaiter* me;
    template <class... T>
    void set_value(T&&... x) && noexcept {
      auto error = amity::detail::caught([&] { me->outcome_.template emplace<1>(std::forward<T>(x)...); });
      if (error != nullptr) me->outcome_.template emplace<2>(std::move(error));
      me->go_on();
    }
    template <class Error>
    void set_error(Error&& e) && noexcept {
      me->outcome_.template emplace<2>(as_exception(std::forward<Error>(e)));
      me->go_on();
    }
    void set_stopped() && noexcept { std::coroutine_handle<>(me->promise_.unhandled_stopped()).resume(); }
    [[nodiscard]] environment get_env() const noexcept { return env_of_promise(me->promise_); }
  };

  void go_on() noexcept { std::coroutine_handle<Promise>::from_promise(promise_).resume(); }

  Promise& promise_;
  std::variant<std::monostate, amity::detail::stored<value_type>, std::exception_ptr> outcome_;
  connect_result_t<S, receiver_type> operation_;
};

}  // namespace detail

/// A promise's base: await_transform, unhandled_stopped and the continuation, which Promise's awaiter sets.
template <class Promise>
class with_awaitable_senders {
 public:
  /// `h`: the coroutine that awaits this one. Requires: not null.
  template <class Other>
  requires(!std::is_void_v<Other>) void set_continuation(std::coroutine_handle<Other> h) noexcept {
    continuation_ = h;
    if constexpr (requires(Other & other) { other.unhandled_stopped(); })
      stopped_ = [](void* address) noexcept -> std::coroutine_handle<> {
        return std::coroutine_handle<Other>::from_address(address).promise().unhandled_stopped();
      };
    else
      stopped_ = &end_program;
  }
  /// The coroutine that awaits this one; null: none does.
  [[nodiscard]] std::coroutine_handle<> continuation() const noexcept { return continuation_; }
  /// What is to be resumed in place of this coroutine, whose sender was stopped.
  [[nodiscard]] std::coroutine_handle<> unhandled_stopped() noexcept { return stopped_(continuation_.address()); }

  /// A sender as something that can be awaited; whatever else as it is.
  template <class Value>
  [[nodiscard]] decltype(auto) await_transform(Value&& value) {
    if constexpr (requires { std::forward<Value>(value).as_awaitable(static_cast<Promise&>(*this)); })
      return std::forward<Value>(value).as_awaitable(static_cast<Promise&>(*this));
    else if constexpr (sender<Value>)
      return detail::stoppable_awaiter<std::remove_cvref_t<Value>, Promise>(
          std::remove_cvref_t<Value>(std::forward<Value>(value)), static_cast<Promise&>(*this));
    else
      return static_cast<Value&&>(value);
  }

 private:
  [[noreturn]] static std::coroutine_handle<> end_program(void*) noexcept { std::terminate(); }

  std::coroutine_handle<> continuation_{};
  std::coroutine_handle<> (*stopped_)(void*) noexcept = &end_program;
};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
