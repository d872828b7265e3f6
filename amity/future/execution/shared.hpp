#pragma once

/// An operation that others than its receiver wait for: what split and ensure_started stand on. It keeps its outcome,
/// and itself while it runs.
///
///     auto shared = std::make_shared<shared_operation<S>>(std::move(sender));
///     if (!shared->add(waiter)) look_at(shared->outcome());    // else `waiter` will be told
///     shared->start();                                         // the first call does it

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <tuple>
#include <utility>
#include <variant>

#include "amity/future/execution/adapted.hpp"
#include "amity/future/execution/stop.hpp"
#include "amity/future/execution/sync_wait.hpp"
#include "amity/future/state.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {
namespace detail {

/// What the operation is told: no receiver's environment, since there may be several.
struct shared_env : task_env {
  branch_token stop;
  using task_env::query;
  [[nodiscard]] branch_token query(get_stop_token_t) const noexcept { return stop; }
};

/// A tuple of each signal with what it carries, decayed.
struct as_kept : no_types {
  template <class... T>
  using value = list<std::tuple<set_value_t, std::decay_t<T>...>>;
  template <class Error>
  using error = list<std::tuple<set_error_t, std::decay_t<Error>>>;
  template <class Nothing>
  using stopped = list<std::tuple<set_stopped_t>>;
};

template <class S>
class shared_operation : public std::enable_shared_from_this<shared_operation<S>> {
 public:
  using signatures = completion_signatures_of_t<S, shared_env>;
  using outcomes =
      renamed<std::variant, all_types<list<std::monostate>, collected<signatures, as_kept>,
                                      list<std::tuple<set_error_t, std::exception_ptr>, std::tuple<set_stopped_t>>>>;

  explicit shared_operation(S&& s) : operation_(execution::connect(std::move(s), receiver_type{this})) {}

  /// The first call starts it.
  void start() noexcept {
    if (started_.exchange(true, std::memory_order_relaxed)) return;  // nothing is passed on by it
    itself_ = this->shared_from_this();
    execution::start(operation_);
  }
  /// The same; it counts in the finish around the call.
  void start_within_finish() noexcept {
    sched::worker& w = sched::this_worker();
    within_ = w.current;
    sched::begin_within(within_, w);
    start();
  }

  /// False: it has ended, and nobody will be told.
  [[nodiscard]] bool add(amity::detail::waiter& w) noexcept {
    amity::detail::waiter* first = waiters_.load(std::memory_order_acquire);  // pairs with end, as below
    do {
      if (first == amity::detail::done_mark()) return false;
      w.next = first;
    } while (!waiters_.compare_exchange_weak(first, &w, std::memory_order_release, std::memory_order_acquire));
    return true;
  }
  void request_stop() noexcept {
    std::stop_source kept = stop_;  // this may be gone when what was stopped has ended
    kept.request_stop();
  }
  /// Requires: it has ended.
  [[nodiscard]] outcomes& outcome() noexcept { return outcome_; }

 private:
  struct receiver_type {
    using receiver_concept = receiver_t;
    shared_operation* me;
    template <class... T>
    void set_value(T&&... x) && noexcept {
      me->template keep<std::tuple<set_value_t, std::decay_t<T>...>>(set_value_t(), std::forward<T>(x)...);
    }
    template <class Error>
    void set_error(Error&& e) && noexcept {
      me->template keep<std::tuple<set_error_t, std::decay_t<Error>>>(set_error_t(), std::forward<Error>(e));
    }
    void set_stopped() && noexcept { me->template keep<std::tuple<set_stopped_t>>(set_stopped_t()); }
    [[nodiscard]] shared_env get_env() const noexcept { return {{}, {me->stop_.get_token()}}; }
  };

  template <class Outcome, class... T>
  void keep(T&&... x) noexcept {
    auto error = amity::detail::caught([&] { outcome_.template emplace<Outcome>(std::forward<T>(x)...); });
    if (error != nullptr)
      outcome_.template emplace<std::tuple<set_error_t, std::exception_ptr>>(set_error_t(), std::move(error));
    end();
  }

  void end() noexcept {
    auto itself = std::move(itself_);
    sched::scope* const within = within_;
    // Release: the outcome; acquire: the waiters. Pairs with add.
    auto* const list = waiters_.exchange(amity::detail::done_mark(), std::memory_order_acq_rel);
    if (list != nullptr) amity::detail::tell(list);
    itself.reset();  // before the finish ends
    if (within != nullptr) sched::end_within(within, sched::this_worker());
  }

  std::stop_source stop_;
  std::atomic<bool> started_{false};
  std::atomic<amity::detail::waiter*> waiters_{nullptr};
  sched::scope* within_ = nullptr;
  std::shared_ptr<shared_operation> itself_;  ///< while it runs
  outcomes outcome_;
  connect_result_t<S, receiver_type> operation_;
};

/// Waits for a shared operation on behalf of a receiver. `Alone`: nobody else does, so the values are moved to it.
template <class S, class R, bool Alone>
class sharing_operation : amity::detail::waiter {
 public:
  using operation_state_concept = operation_state_t;

  sharing_operation(std::shared_ptr<shared_operation<S>> s, R&& r) : shared_(std::move(s)), to_(std::move(r)) {}
  sharing_operation(const sharing_operation&) = delete;
  sharing_operation& operator=(const sharing_operation&) = delete;
  ~sharing_operation() {
    if (Alone && shared_ != nullptr) shared_->request_stop();  // was not started, and will not be
  }

  void start() & noexcept {
    auto const token = execution::get_stop_token(execution::get_env(to_));
    if (token.stop_requested() && !Alone) {
      shared_.reset();
      return execution::set_stopped(std::move(to_));
    }
    auto const shared = shared_;  // this may be gone once it waits
    asked_.emplace(token, ask{shared.get()});
    ready = [](amity::detail::waiter& w) noexcept { static_cast<sharing_operation&>(w).finish(); };
    if (!shared->add(*this)) return finish();
    shared->start();
  }

 private:
  struct ask {
    shared_operation<S>* whom;
    void operator()() const noexcept { whom->request_stop(); }
  };
  using token_type = std::remove_cvref_t<decltype(execution::get_stop_token(std::declval<env_of_t<R>>()))>;

  void finish() noexcept {
    asked_.reset();
    auto const shared = std::move(shared_);  // the receiver may take this operation away
    R to = std::move(to_);
    std::visit([&](auto& kept) { send(to, kept); }, shared->outcome());
  }
  static void send(R&, std::monostate&) noexcept {}
  template <class Tag, class... T>
  static void send(R& to, std::tuple<Tag, T...>& kept) noexcept {
    std::apply(
        [&](Tag, T&... x) {
          if constexpr (std::is_same_v<Tag, set_value_t>)
            execution::set_value(std::move(to), pass(std::bool_constant<Alone>(), x)...);
          else if constexpr (std::is_same_v<Tag, set_error_t>)
            execution::set_error(std::move(to), pass(std::bool_constant<Alone>(), x)...);
          else
            execution::set_stopped(std::move(to));
        },
        kept);
  }
  template <class T>
  static T&& pass(std::true_type, T& x) noexcept {
    return std::move(x);
  }
  template <class T>
  static const T& pass(std::false_type, T& x) noexcept {
    return x;
  }

  std::shared_ptr<shared_operation<S>> shared_;
  R to_;
  std::optional<typename callback_of<token_type, ask>::type> asked_;
};

}  // namespace detail
}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
