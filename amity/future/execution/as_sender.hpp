#pragma once

/// Futures as senders.
///
///     execution::when_all(execution::as_sender(amity::async(f)), execution::as_sender(shared)) | execution::then(g)

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "amity/future/execution/adapted.hpp"
#include "amity/future/execution/closure.hpp"
#include "amity/future/execution/task_scheduler.hpp"
#include "amity/future/future.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {

/// Waits for a future without waiting.
template <class Future, class R>
struct future_operation : amity::detail::waiter {
  using operation_state_concept = operation_state_t;
  Future source;
  R to;

  future_operation(Future&& f, R&& r) : source(std::move(f)), to(std::move(r)) {}
  future_operation(const future_operation&) = delete;
  future_operation& operator=(const future_operation&) = delete;
  ~future_operation() = default;

  void start() & noexcept {
    auto* const s = source.state_or_null();
    if (s == nullptr)
      return execution::set_error(std::move(to), std::make_exception_ptr(future_error(future_errc::no_state)));
    amity::detail::begin_deferred(*s);
    ready = [](amity::detail::waiter& w) noexcept { static_cast<future_operation&>(w).finish(); };
    if (!amity::detail::add_waiter(*s, *this)) finish();
  }

 private:
  void finish() noexcept {
    // It goes on by itself: the receiver may take this operation away.
    Future here = std::move(source);
    send_result(to, [&here]() -> decltype(auto) { return here.get(); });
  }
};

template <class Future>
struct future_sender : sender_base<future_sender<Future>> {
  using result = decltype(std::declval<Future&>().get());
  template <class... Env>
  using signatures =
      all_signatures<renamed<decayed_values, std::conditional_t<std::is_void_v<result>, list<>, list<result>>>,
                     may_throw>;
  /// Made ready by a task, or there already where it is started.
  template <class Start, class Env>
  using ends_at = typename same_end<Start, task_scheduler>::type;
  Future source;

  explicit future_sender(Future&& f) : source(std::move(f)) {}

  template <receiver R>
  [[nodiscard]] future_operation<Future, R> connect(R r) && {
    return {std::move(source), std::move(r)};
  }
  template <receiver R>
  requires std::is_copy_constructible_v<Future>
  [[nodiscard]] future_operation<Future, R> connect(R r) const& { return {Future(source), std::move(r)}; }
};

struct as_sender_call {
  /// `f` is given away; a shared one may be copied.
  template <class Future>
  requires amity::detail::is_future_v<Future>
  [[nodiscard]] auto operator()(Future&& f) const {
    using kept = std::remove_cvref_t<Future>;
    return future_sender<kept>(kept(std::forward<Future>(f)));
  }
};

}  // namespace detail

/// as_sender(future): a sender of its value, or of its error, that ends where the future is made ready, or where it is
/// started if that is before. future_error, no_state, of an empty one. A future is moved into it; a shared_future may
/// be copied, and so may its sender.
inline constexpr detail::as_sender_call as_sender{};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
