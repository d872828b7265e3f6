#pragma once

/// Senders in coroutines.
///
///     amity::task<int> twice(int x) { co_return co_await (execution::just(x) | execution::bulk(2, f)); }
///
/// co_await of one of Amity's senders starts it, and gives its value: nothing if it has none, a tuple if it has
/// several. It throws the sender's error, and future_error, cancelled, if that was stopped. The rest of the coroutine
/// runs as a task, which counts in the finish that it was in, or goes on at once if the sender has ended by then.
/// Senders of other libraries are wrapped: co_await as_awaitable(sender).

// clang-format off: first, because <coroutine> has words of its own for older compilers
#include "amity/base/language.hpp"
// clang-format on

#include <atomic>
#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>
#include <variant>

#include "amity/future/coroutine.hpp"
#include "amity/future/execution/spawn.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {

template <class S>
class sender_awaiter {
 public:
  using value_type = joined_values_of<S>;

  explicit sender_awaiter(S&& s) : operation_(execution::connect(std::forward<S>(s), receiver_type{this})) {}
  sender_awaiter(const sender_awaiter&) = delete;
  sender_awaiter& operator=(const sender_awaiter&) = delete;
  ~sender_awaiter() = default;

  [[nodiscard]] static bool await_ready() noexcept { return false; }

  [[nodiscard]] bool await_suspend(std::coroutine_handle<> h) {
    using amity::detail::resumption;
    auto& w = sched::this_worker();
    // Made before it is needed: the finish around waits for it, and there is memory for it.
    amity::detail::state& unused = amity::detail::make_task<void, resumption>(w, resumption{h});
    unused.detached = true;
    rest_ = &unused;
    execution::start(operation_);
    // Of this and the operation's end, the second one goes on. Acquire: the outcome. Release: this may be resumed
    // elsewhere.
    if (step_.exchange(suspended, std::memory_order_acq_rel) == going) return true;
    sched::worker& here = sched::this_worker();
    sched::end_within(unused.within, here);
    sched::give_task_memory(&unused, unused.size_class, here);
    return false;
  }

  value_type await_resume() {
    if (outcome_.index() == 0) throw future_error(future_errc::cancelled);
    if (outcome_.index() == 2) std::rethrow_exception(std::move(std::get<2>(outcome_)));
    if constexpr (!std::is_void_v<value_type>) return std::move(std::get<1>(outcome_));
  }

 private:
  static constexpr int going = 0, suspended = 1, ended = 2;
  struct receiver_type {
    using receiver_concept = receiver_t;
    sender_awaiter* me;
    template <class... T>
    void set_value(T&&... x) && noexcept {
      auto error = amity::detail::caught([&] { me->outcome_.template emplace<1>(std::forward<T>(x)...); });
      if (error != nullptr) me->outcome_.template emplace<2>(std::move(error));
      me->end();
    }
    template <class Error>
    void set_error(Error&& e) && noexcept {
      me->outcome_.template emplace<2>(as_exception(std::forward<Error>(e)));
      me->end();
    }
    void set_stopped() && noexcept { me->end(); }
    [[nodiscard]] static task_env get_env() noexcept { return {}; }
  };

  void end() noexcept {
    // Release: the outcome. Acquire: the coroutine has been suspended. Pairs with await_suspend.
    amity::detail::state* const rest = rest_;
    if (step_.exchange(ended, std::memory_order_acq_rel) == suspended) sched::enqueue(*rest, sched::this_worker());
  }

  std::atomic<int> step_{going};
  amity::detail::state* rest_ = nullptr;
  std::variant<std::monostate, amity::detail::stored<value_type>, std::exception_ptr> outcome_;
  connect_result_t<S, receiver_type> operation_;
};

struct as_awaitable_call {
  template <sender S>
  [[nodiscard]] auto operator()(S&& s) const {
    return sender_awaiter<std::remove_cvref_t<S>>(std::remove_cvref_t<S>(std::forward<S>(s)));
  }
};

/// co_await finds it by the sender's namespace.
template <own_sender S>
[[nodiscard]] auto operator co_await(S&& s) {
  return as_awaitable_call{}(std::forward<S>(s));
}

}  // namespace detail

/// as_awaitable(sender): what a coroutine of any kind may await, once.
inline constexpr detail::as_awaitable_call as_awaitable{};

using detail::operator co_await;  // senders of Amity are in both namespaces

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
