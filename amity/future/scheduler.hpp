#pragma once

/// Amity as a scheduler of senders, in the shape of C++26's std::execution (P2300), without depending on it: what has
/// these member functions and types works with libraries that look for them.
///
///     namespace ex = amity::execution;
///     auto work = ex::then(ex::schedule(amity::get_scheduler()), [] { return 6 * 7; });
///     auto [answer] = *ex::sync_wait(std::move(work));
///
/// A sender says what is to be done; connect(sender, receiver) makes an operation of it, start(operation) begins it,
/// and one of the receiver's set_value, set_error or set_stopped is called once. schedule() ends on a task of Amity, in
/// the finish around start(). Where that finish was asked to stop, or the stop token in the receiver's environment, it
/// ends with set_stopped.

#include <concepts>
#include <exception>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "amity/future/async.hpp"
#include "amity/future/caught.hpp"
#include "amity/sync/latch.hpp"

namespace amity::execution {

struct sender_t {};
struct receiver_t {};
struct scheduler_t {};
struct operation_state_t {};

struct empty_env {};

/// The receiver's environment: its own get_env(), or an empty one.
template <class Receiver>
[[nodiscard]] auto env_of(const Receiver& r) noexcept {
  if constexpr (requires { r.get_env(); })
    return r.get_env();
  else
    return empty_env{};
}

/// Whether what waits for it was asked to stop.
template <class Receiver>
[[nodiscard]] bool stop_requested(const Receiver& r) noexcept {
  auto const env = env_of(r);
  if constexpr (requires { env.get_stop_token().stop_requested(); })
    return env.get_stop_token().stop_requested();
  else
    return false;
}

template <class R>
concept receiver = std::move_constructible<std::remove_cvref_t<R>> &&
    requires(std::remove_cvref_t<R>&& r, std::exception_ptr error) {
  std::move(r).set_error(error);
  std::move(r).set_stopped();
};

template <class S>
concept sender = requires {
  typename std::remove_cvref_t<S>::value_types;  // a std::tuple of what set_value is called with
};

template <class S>
concept scheduler = std::copy_constructible<std::remove_cvref_t<S>> &&
    std::equality_comparable<std::remove_cvref_t<S>> && requires(const std::remove_cvref_t<S>& s) {
  { s.schedule() } -> sender;
};

/// The operation that will do what `s` says and tell `r`. It must not be moved once it was started.
template <class S, class R>
[[nodiscard]] auto connect(S&& s, R&& r) {
  return std::forward<S>(s).connect(std::forward<R>(r));
}
/// Begins it.
template <class Operation>
void start(Operation& operation) noexcept {
  operation.start();
}

// --- the scheduler

/// Amity's tasks as a scheduler; all are equal.
class task_scheduler {
 public:
  /// For libraries that ask.
  using scheduler_concept = scheduler_t;

  class schedule_sender {
   public:
    using sender_concept = sender_t;
    using value_types = std::tuple<>;

    template <class R>
    struct operation {
      using operation_state_concept = operation_state_t;
      R to;
      explicit operation(R&& r) : to(std::move(r)) {}
      operation(const operation&) = delete;
      operation& operator=(const operation&) = delete;
      void start() noexcept {
        auto error = amity::detail::caught([this] { post(amity::detail::as_glue{[this]() noexcept { complete(); }}); });
        if (error != nullptr) std::move(to).set_error(std::move(error));
      }

     private:
      void complete() noexcept {
        if (stop_requested(to) || amity::detail::stopped(sched::this_worker().current))
          std::move(to).set_stopped();
        else
          std::move(to).set_value();
      }
    };
    template <receiver R>
    [[nodiscard]] auto connect(R r) const {
      return operation<R>(std::move(r));
    }
    [[nodiscard]] static task_scheduler get_completion_scheduler() noexcept { return {}; }
  };

  /// A sender of nothing that ends on a task.
  [[nodiscard]] static schedule_sender schedule() noexcept { return {}; }
  /// Always.
  [[nodiscard]] bool operator==(const task_scheduler&) const noexcept = default;
};

/// A sender of nothing that ends where `s` runs things.
template <scheduler S>
[[nodiscard]] auto schedule(const S& s) {
  return s.schedule();
}

// --- senders of values

namespace detail {

/// Passes everything on but values.
template <class R>
struct forwarding_receiver {
  using receiver_concept = receiver_t;
  R to;
  void set_error(std::exception_ptr error) && noexcept { std::move(to).set_error(std::move(error)); }
  void set_stopped() && noexcept { std::move(to).set_stopped(); }
  [[nodiscard]] auto get_env() const noexcept { return env_of(to); }
};

template <class... T>
struct just_sender {
  using sender_concept = sender_t;
  using value_types = std::tuple<T...>;
  std::tuple<T...> values;

  template <class R>
  struct operation {
    using operation_state_concept = operation_state_t;
    R to;
    std::tuple<T...> values;
    void start() noexcept {
      std::apply([this](T&... x) { std::move(to).set_value(std::move(x)...); }, values);
    }
  };
  template <receiver R>
  [[nodiscard]] auto connect(R r) && {
    return operation<R>{std::move(r), std::move(values)};
  }
  template <receiver R>
  [[nodiscard]] auto connect(R r) const& {
    return operation<R>{std::move(r), values};
  }
};

template <class F, class Tuple>
struct applied;
template <class F, class... T>
struct applied<F, std::tuple<T...>> {
  using type = std::invoke_result_t<F, T...>;
};

template <class S, class F>
struct then_sender {
  using sender_concept = sender_t;
  using result = typename applied<F, typename S::value_types>::type;
  using value_types = std::conditional_t<std::is_void_v<result>, std::tuple<>,
                                         std::tuple<std::conditional_t<std::is_void_v<result>, int, result>>>;
  S from;
  F f;

  template <class R>
  struct receiver_type : forwarding_receiver<R> {
    F f;
    receiver_type(R&& r, F&& function) : forwarding_receiver<R>{std::move(r)}, f(std::move(function)) {}
    template <class... T>
    void set_value(T&&... x) && noexcept {
      auto error = amity::detail::caught([&] {
        if constexpr (std::is_void_v<result>) {
          std::invoke(std::move(f), std::forward<T>(x)...);
          std::move(this->to).set_value();
        } else {
          std::move(this->to).set_value(std::invoke(std::move(f), std::forward<T>(x)...));
        }
      });
      if (error != nullptr) std::move(this->to).set_error(std::move(error));
    }
  };
  template <receiver R>
  [[nodiscard]] auto connect(R r) && {
    return execution::connect(std::move(from), receiver_type<R>(std::move(r), std::move(f)));
  }
};

/// Goes on elsewhere: keeps the values while the other scheduler gets there.
template <class S, class Scheduler>
struct continues_on_sender {
  using sender_concept = sender_t;
  using value_types = typename S::value_types;
  S from;
  Scheduler where;

  template <class R>
  struct operation {
    using operation_state_concept = operation_state_t;
    struct first {
      using receiver_concept = receiver_t;
      operation* owner;
      template <class... T>
      void set_value(T&&... x) && noexcept {
        operation* const o = owner;
        auto error = amity::detail::caught([&] { o->values.emplace(std::forward<T>(x)...); });
        if (error == nullptr)
          o->second.start();
        else
          std::move(o->to).set_error(std::move(error));
      }
      void set_error(std::exception_ptr error) && noexcept { std::move(owner->to).set_error(std::move(error)); }
      void set_stopped() && noexcept { std::move(owner->to).set_stopped(); }
      [[nodiscard]] auto get_env() const noexcept { return env_of(owner->to); }
    };
    struct second_receiver {
      using receiver_concept = receiver_t;
      operation* owner;
      void set_value() && noexcept {
        std::apply([o = owner](auto&... x) { std::move(o->to).set_value(std::move(x)...); }, *owner->values);
      }
      void set_error(std::exception_ptr error) && noexcept { std::move(owner->to).set_error(std::move(error)); }
      void set_stopped() && noexcept { std::move(owner->to).set_stopped(); }
      [[nodiscard]] auto get_env() const noexcept { return env_of(owner->to); }
    };

    R to;
    std::optional<value_types> values;
    decltype(execution::connect(std::declval<Scheduler>().schedule(), std::declval<second_receiver>())) second;
    decltype(execution::connect(std::declval<S>(), std::declval<first>())) begun;

    operation(S&& s, Scheduler where, R&& r)
        : to(std::move(r)),
          second(execution::connect(where.schedule(), second_receiver{this})),
          begun(execution::connect(std::move(s), first{this})) {}
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;
    void start() noexcept { begun.start(); }
  };
  template <receiver R>
  [[nodiscard]] auto connect(R r) && {
    return operation<R>(std::move(from), std::move(where), std::move(r));
  }
};

template <class... T>
std::tuple<std::decay_t<T>...> decayed(std::tuple<T...>);

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
    try {
      to->is.template emplace<1>(std::forward<T>(x)...);
    } catch (...) {
      to->is.template emplace<2>(std::current_exception());
    }
    to->done.count_down();
  }
  void set_error(std::exception_ptr error) && noexcept {
    to->is.template emplace<2>(std::move(error));
    to->done.count_down();
  }
  void set_stopped() && noexcept { to->done.count_down(); }
};

}  // namespace detail

/// These values, at once.
template <class... T>
[[nodiscard]] auto just(T&&... x) {
  return detail::just_sender<std::decay_t<T>...>{{std::forward<T>(x)...}};
}

/// What `f` makes of the values of `s`; what it throws is an error.
template <sender S, class F>
[[nodiscard]] auto then(S&& s, F&& f) {
  return detail::then_sender<std::remove_cvref_t<S>, std::decay_t<F>>{std::forward<S>(s), std::forward<F>(f)};
}

/// The values of `s`, and what comes after it runs on `where`.
template <sender S, scheduler Scheduler>
[[nodiscard]] auto continues_on(S&& s, Scheduler where) {
  return detail::continues_on_sender<std::remove_cvref_t<S>, Scheduler>{std::forward<S>(s), std::move(where)};
}

/// Runs it and waits, which blocks the fiber and not the core: a tuple of the values, nothing if it was stopped; throws
/// its error.
template <sender S>
[[nodiscard]] auto sync_wait(S&& s) {
  using values = decltype(detail::decayed(std::declval<typename std::remove_cvref_t<S>::value_types>()));
  using waits = detail::waiting_receiver<values>;
  typename waits::outcome outcome;
  auto operation = execution::connect(std::forward<S>(s), waits{&outcome});
  execution::start(operation);
  outcome.done.wait();
  if (outcome.is.index() == 2) std::rethrow_exception(std::get<2>(std::move(outcome.is)));
  std::optional<values> result;
  if (outcome.is.index() == 1) result.emplace(std::move(std::get<1>(outcome.is)));
  return result;
}

}  // namespace amity::execution

namespace amity {

/// Amity's tasks as a scheduler.
[[nodiscard]] inline execution::task_scheduler get_scheduler() noexcept { return {}; }

}  // namespace amity
