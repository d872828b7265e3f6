#pragma once

/// A library of senders for tests, which knows nothing of Amity: the concepts of C++26's [exec] as strictly as they are
/// written there, and a few algorithms over them. It takes every chance to complain: what [exec] asks of a receiver, an
/// operation, a sender or a scheduler is checked wherever one is met, at compile time, and that each operation ends
/// once, when it runs. Simpler than a real one in this: errors are std::exception_ptr, and a sender ends with values in
/// one way.
///
///     auto [x] = *sender_library::sync_wait(sender_library::then(scheduler.schedule(), [] { return 1; }));

#include <atomic>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sender_library {

// Two of the tags by the names that they had before C++26 was finished.
struct sender_tag {};
struct receiver_tag {};
struct operation_state_t {};
struct scheduler_t {};

template <class T>
concept queryable = std::destructible<T>;
template <class T>
concept movable_value = std::move_constructible<std::decay_t<T>> && std::constructible_from<std::decay_t<T>, T>;

// --- signals

struct set_value_t {
  template <class R, class... T>
  requires requires(R&& r, T&&... x) { std::move(r).set_value(std::forward<T>(x)...); }
  void operator()(R&& r, T&&... x) const noexcept {
    static_assert(!std::is_lvalue_reference_v<R> && !std::is_const_v<R>);
    static_assert(noexcept(std::move(r).set_value(std::forward<T>(x)...)));
    static_assert(std::is_void_v<decltype(std::move(r).set_value(std::forward<T>(x)...))>);
    std::move(r).set_value(std::forward<T>(x)...);
  }
};
struct set_error_t {
  template <class R, class E>
  requires requires(R&& r, E&& e) { std::move(r).set_error(std::forward<E>(e)); }
  void operator()(R&& r, E&& e) const noexcept {
    static_assert(!std::is_lvalue_reference_v<R> && !std::is_const_v<R>);
    static_assert(noexcept(std::move(r).set_error(std::forward<E>(e))));
    std::move(r).set_error(std::forward<E>(e));
  }
};
struct set_stopped_t {
  template <class R>
  requires requires(R&& r) { std::move(r).set_stopped(); }
  void operator()(R&& r) const noexcept {
    static_assert(!std::is_lvalue_reference_v<R> && !std::is_const_v<R>);
    static_assert(noexcept(std::move(r).set_stopped()));
    std::move(r).set_stopped();
  }
};
inline constexpr set_value_t set_value{};
inline constexpr set_error_t set_error{};
inline constexpr set_stopped_t set_stopped{};

template <class... Signatures>
struct completion_signatures {};

// --- environments

struct empty_env {};
struct get_env_t {
  template <class T>
  [[nodiscard]] auto operator()(const T& x) const noexcept {
    if constexpr (requires { x.get_env(); }) {
      static_assert(noexcept(x.get_env()) && queryable<decltype(x.get_env())>);
      return x.get_env();
    } else {
      return empty_env{};
    }
  }
};
inline constexpr get_env_t get_env{};
template <class T>
using env_of_t = decltype(get_env(std::declval<T>()));

template <template <class> class>
struct exists {};
template <class T>
concept stoppable_token = requires(const T token) {
  typename exists<T::template callback_type>;
  { token.stop_requested() }
  noexcept->std::same_as<bool>;
  { token.stop_possible() }
  noexcept->std::same_as<bool>;
  { T(token) }
  noexcept;
}
&&std::copyable<T>&& std::equality_comparable<T>&& std::swappable<T>;

struct never_stop_token {
  template <class>
  struct callback_type {
    template <class F>
    callback_type(never_stop_token, F&&) noexcept {}
  };
  [[nodiscard]] static constexpr bool stop_requested() noexcept { return false; }
  [[nodiscard]] static constexpr bool stop_possible() noexcept { return false; }
  bool operator==(const never_stop_token&) const noexcept = default;
};
struct token : std::stop_token {
  template <class F>
  using callback_type = std::stop_callback<F>;
};
struct get_stop_token_t {
  template <class E>
  [[nodiscard]] auto operator()(const E& e) const noexcept {
    if constexpr (requires { e.query(*this); }) {
      static_assert(noexcept(e.query(*this)) && stoppable_token<std::remove_cvref_t<decltype(e.query(*this))>>);
      return e.query(*this);
    } else {
      return never_stop_token{};
    }
  }
};
inline constexpr get_stop_token_t get_stop_token{};

// --- senders, receivers, operations, schedulers

template <class R, class Signature>
inline constexpr bool takes = false;
template <class R, class... T>
inline constexpr bool takes<R, set_value_t(T...)> = std::invocable<set_value_t, R, T...>;
template <class R, class E>
inline constexpr bool takes<R, set_error_t(E)> = std::invocable<set_error_t, R, E>;
template <class R>
inline constexpr bool takes<R, set_stopped_t()> = std::invocable<set_stopped_t, R>;
template <class R, class Signatures>
inline constexpr bool takes_all = false;
template <class R, class... Signatures>
inline constexpr bool takes_all<R, completion_signatures<Signatures...>> = (takes<R, Signatures> && ...);
template <class T>
inline constexpr bool are_signatures = false;
template <class... Signatures>
inline constexpr bool are_signatures<completion_signatures<Signatures...>> = true;

template <class R>
concept receiver = std::derived_from<typename std::remove_cvref_t<R>::receiver_concept, receiver_tag> &&
    std::is_nothrow_move_constructible_v<std::remove_cvref_t<R>> &&
    std::constructible_from<std::remove_cvref_t<R>, R> && !std::is_final_v<std::remove_cvref_t<R>>;
template <class R, class Signatures>
concept receiver_of = receiver<R> && takes_all<std::remove_cvref_t<R>, Signatures>;

template <class O>
concept operation_state = std::derived_from<typename O::operation_state_concept, operation_state_t> &&
    std::is_object_v<O> && std::destructible<O> && requires(O& o) {
  { o.start() }
  noexcept->std::same_as<void>;
};

template <class S>
concept sender = std::derived_from<typename std::remove_cvref_t<S>::sender_concept, sender_tag> && movable_value<S> &&
    queryable<env_of_t<S>>;

template <class S, class Env>
consteval auto get_completion_signatures() {
  auto found = std::remove_cvref_t<S>::template get_completion_signatures<S, Env>();
  static_assert(are_signatures<decltype(found)>);
  return found;
}
template <class S, class Env>
using completion_signatures_of_t = decltype(get_completion_signatures<S, Env>());
template <class S, class Env>
concept sender_in = sender<S> && queryable<Env> && are_signatures<completion_signatures_of_t<S, Env>>;

struct connect_t {
  template <class S, class R>
  [[nodiscard]] auto operator()(S&& s, R&& r) const {
    static_assert(sender_in<S, env_of_t<R>>);
    static_assert(receiver_of<R, completion_signatures_of_t<S, env_of_t<R>>>);
    static_assert(operation_state<decltype(std::forward<S>(s).connect(std::forward<R>(r)))>);
    return std::forward<S>(s).connect(std::forward<R>(r));
  }
};
inline constexpr connect_t connect{};
template <class S, class R>
using connect_result_t = decltype(connect(std::declval<S>(), std::declval<R>()));
inline constexpr struct start_t {
  void operator()(operation_state auto& o) const noexcept { o.start(); }
} start{};

template <class Signal>
struct get_completion_scheduler_t {
  template <class E>
  requires requires(const E& e, const get_completion_scheduler_t& q) {
    { e.query(q) }
    noexcept;
  }
  [[nodiscard]] auto operator()(const E& e) const noexcept { return e.query(*this); }
};
template <class Signal>
inline constexpr get_completion_scheduler_t<Signal> get_completion_scheduler{};

enum class forward_progress_guarantee { concurrent, parallel, weakly_parallel };
struct get_forward_progress_guarantee_t {
  template <class S>
  [[nodiscard]] constexpr forward_progress_guarantee operator()(const S& s) const noexcept {
    if constexpr (requires { s.query(*this); })
      return s.query(*this);
    else
      return forward_progress_guarantee::weakly_parallel;
  }
};
inline constexpr get_forward_progress_guarantee_t get_forward_progress_guarantee{};

template <class S>
concept scheduler = std::derived_from<typename std::remove_cvref_t<S>::scheduler_concept, scheduler_t> &&
    queryable<S> && std::equality_comparable<std::remove_cvref_t<S>> && std::copyable<std::remove_cvref_t<S>> &&
    std::is_nothrow_move_constructible_v<std::remove_cvref_t<S>> && requires(S&& s) {
  { s.schedule() } -> sender;
  { get_completion_scheduler<set_value_t>(get_env(s.schedule())) } -> std::same_as<std::remove_cvref_t<S>>;
};
inline constexpr struct schedule_t {
  [[nodiscard]] auto operator()(scheduler auto&& s) const { return s.schedule(); }
} schedule{};

struct get_scheduler_t {
  template <class E>
  requires requires(const E& e, const get_scheduler_t& q) {
    { e.query(q) } -> scheduler;
  }
  [[nodiscard]] auto operator()(const E& e) const noexcept { return e.query(*this); }
};
inline constexpr get_scheduler_t get_scheduler{};

// --- what the algorithms have in common

template <class Signatures>
struct only_values;
template <class... T, class... Others>
struct only_values<completion_signatures<set_value_t(T...), Others...>> {
  using type = std::tuple<std::decay_t<T>...>;
};
template <class Other, class... Others>
struct only_values<completion_signatures<Other, Others...>> : only_values<completion_signatures<Others...>> {};
template <class S, class Env>
using values_of = typename only_values<completion_signatures_of_t<S, Env>>::type;

template <class Tuple>
struct ends_with;
template <class... T>
struct ends_with<std::tuple<T...>> {
  using type = completion_signatures<set_value_t(T...), set_error_t(std::exception_ptr), set_stopped_t()>;
};

/// An operation without end would be noticed by its waiter; one with two ends is noticed here.
class ends_once {
 public:
  void end() noexcept {
    if (ended_.exchange(true)) std::abort();
  }

 private:
  std::atomic<bool> ended_{false};
};

/// Tells `Operation`, which derives from ends_once if it is asked once.
template <class Operation, class Tag, class Env>
struct told {
  using receiver_concept = receiver_tag;
  Operation* to;
  template <class... T>
  void set_value(T&&... x) && noexcept {
    to->value(Tag{}, std::forward<T>(x)...);
  }
  void set_error(std::exception_ptr e) && noexcept { to->error(Tag{}, std::move(e)); }
  void set_stopped() && noexcept { to->stopped(Tag{}); }
  [[nodiscard]] Env get_env() const noexcept { return to->environment(Tag{}); }
};

template <class F>
struct made_by {
  F f;
  operator std::invoke_result_t<F>() && { return std::move(f)(); }  // NOLINT: that is what it is for
};
template <class F>
made_by(F) -> made_by<F>;

struct first {};
struct second {};

// --- then

template <class S, class F, class R>
struct then_operation : ends_once {
  using operation_state_concept = operation_state_t;
  R to;
  F f;
  connect_result_t<S, told<then_operation, first, env_of_t<R>>> child;
  then_operation(S s, F function, R r)
      : to(std::move(r)),
        f(std::move(function)),
        child(connect(std::move(s), told<then_operation, first, env_of_t<R>>{this})) {}
  void start() & noexcept { child.start(); }
  template <class... T>
  void value(first, T&&... x) noexcept {
    end();
    try {
      if constexpr (std::is_void_v<std::invoke_result_t<F, T...>>) {
        std::invoke(std::move(f), std::forward<T>(x)...);
        sender_library::set_value(std::move(to));
      } else {
        sender_library::set_value(std::move(to), std::invoke(std::move(f), std::forward<T>(x)...));
      }
    } catch (...) {
      sender_library::set_error(std::move(to), std::current_exception());
    }
  }
  void error(first, std::exception_ptr e) noexcept { end(), sender_library::set_error(std::move(to), std::move(e)); }
  void stopped(first) noexcept { end(), sender_library::set_stopped(std::move(to)); }
  [[nodiscard]] auto environment(first) const noexcept { return sender_library::get_env(to); }
};

template <class F, class Tuple>
struct result_of;
template <class F, class... T>
struct result_of<F, std::tuple<T...>> {
  using type = std::invoke_result_t<F, T...>;
  using tuple = typename std::conditional_t<
      std::is_void_v<type>, std::type_identity<std::tuple<>>,
      std::type_identity<std::tuple<std::conditional_t<std::is_void_v<type>, int, type>>>>::type;
};

template <class S, class F>
struct then_sender {
  using sender_concept = sender_tag;
  S s;
  F f;
  template <class Self, class Env>
  static consteval auto get_completion_signatures() {
    return typename ends_with<typename result_of<F, values_of<S, Env>>::tuple>::type{};
  }
  template <receiver R>
  [[nodiscard]] auto connect(R r) && {
    return then_operation<S, F, R>(std::move(s), std::move(f), std::move(r));
  }
};
template <sender S, class F>
[[nodiscard]] auto then(S&& s, F f) {
  return then_sender<std::remove_cvref_t<S>, F>{std::forward<S>(s), std::move(f)};
}
/// One call after the other, as a library does that knows nothing of the scheduler.
template <sender S, class F>
[[nodiscard]] auto bulk(S&& s, int n, F f) {
  return then(std::forward<S>(s), [n, f]<class... T>(T... x) {
    for (int i = 0; i < n; ++i) f(i, x...);
    return std::get<0>(std::tuple<T..., int>(std::move(x)..., 0));
  });
}

// --- let_value

template <class F, class Tuple>
struct next_of;
template <class F, class... T>
struct next_of<F, std::tuple<T...>> : std::invoke_result<F, T&...> {};

template <class S, class F, class R>
struct let_operation {
  using operation_state_concept = operation_state_t;
  using values = values_of<S, env_of_t<R>>;
  using next = typename next_of<F, values>::type;
  R to;
  F f;
  std::optional<values> kept;
  std::optional<connect_result_t<next, told<let_operation, second, env_of_t<R>>>> then;
  connect_result_t<S, told<let_operation, first, env_of_t<R>>> child;
  let_operation(S s, F function, R r)
      : to(std::move(r)),
        f(std::move(function)),
        child(connect(std::move(s), told<let_operation, first, env_of_t<R>>{this})) {}
  void start() & noexcept { child.start(); }
  template <class... T>
  void value(first, T&&... x) noexcept {
    try {
      kept.emplace(std::forward<T>(x)...);
      then.emplace(made_by{
          [this] { return connect(std::apply(std::move(f), *kept), told<let_operation, second, env_of_t<R>>{this}); }});
    } catch (...) {
      return sender_library::set_error(std::move(to), std::current_exception());
    }
    then->start();
  }
  template <class... T>
  void value(second, T&&... x) noexcept {
    sender_library::set_value(std::move(to), std::forward<T>(x)...);
  }
  void error(auto, std::exception_ptr e) noexcept { sender_library::set_error(std::move(to), std::move(e)); }
  void stopped(auto) noexcept { sender_library::set_stopped(std::move(to)); }
  [[nodiscard]] auto environment(auto) const noexcept { return sender_library::get_env(to); }
};
template <class S, class F>
struct let_sender {
  using sender_concept = sender_tag;
  S s;
  F f;
  template <class Self, class Env>
  static consteval auto get_completion_signatures() {
    using next = typename next_of<F, values_of<S, Env>>::type;
    return typename ends_with<values_of<next, Env>>::type{};
  }
  template <receiver R>
  [[nodiscard]] auto connect(R r) && {
    return let_operation<S, F, R>(std::move(s), std::move(f), std::move(r));
  }
};
template <sender S, class F>
[[nodiscard]] auto let_value(S&& s, F f) {
  return let_sender<std::remove_cvref_t<S>, F>{std::forward<S>(s), std::move(f)};
}
template <scheduler Scheduler, sender S>
[[nodiscard]] auto starts_on(Scheduler where, S s) {
  return let_value(schedule(where), [s = std::move(s)]() mutable { return std::move(s); });
}
/// The values, which are copied for it.
template <sender S, scheduler Scheduler>
[[nodiscard]] auto continues_on(S&& s, Scheduler where) {
  return let_value(std::forward<S>(s), [where]<class... T>(T&... x) {
    return then(schedule(where), [x...] { return std::get<0>(std::tuple<T..., int>(x..., 0)); });
  });
}

// --- when_all, of two

struct stopping_env {
  token stop;
  [[nodiscard]] token query(get_stop_token_t) const noexcept { return stop; }
};
template <class A, class B, class R>
struct when_all_operation {
  using operation_state_concept = operation_state_t;
  struct ask {
    std::stop_source source;
    void operator()() noexcept { source.request_stop(); }
  };
  using outer = std::remove_cvref_t<decltype(get_stop_token(std::declval<env_of_t<R>>()))>;
  R to;
  std::stop_source source;
  std::optional<typename outer::template callback_type<ask>> asked;
  std::atomic<int> left{2};
  std::mutex lock;
  std::exception_ptr failed;
  bool was_stopped = false;
  std::optional<values_of<A, stopping_env>> of_a;
  std::optional<values_of<B, stopping_env>> of_b;
  connect_result_t<A, told<when_all_operation, first, stopping_env>> a;
  connect_result_t<B, told<when_all_operation, second, stopping_env>> b;
  when_all_operation(A x, B y, R r)
      : to(std::move(r)),
        a(connect(std::move(x), told<when_all_operation, first, stopping_env>{this})),
        b(connect(std::move(y), told<when_all_operation, second, stopping_env>{this})) {}
  void start() & noexcept {
    asked.emplace(get_stop_token(sender_library::get_env(to)), ask{source});
    a.start();
    b.start();
  }
  template <class... T>
  void value(first, T&&... x) noexcept {
    of_a.emplace(std::forward<T>(x)...);
    arrive();
  }
  template <class... T>
  void value(second, T&&... x) noexcept {
    of_b.emplace(std::forward<T>(x)...);
    arrive();
  }
  void error(auto, std::exception_ptr e) noexcept {
    {
      std::lock_guard const hold(lock);
      if (failed == nullptr) failed = std::move(e);
    }
    ask{source}();
    arrive();
  }
  void stopped(auto) noexcept {
    {
      std::lock_guard const hold(lock);
      was_stopped = true;
    }
    ask{source}();
    arrive();
  }
  [[nodiscard]] stopping_env environment(auto) const noexcept { return {{source.get_token()}}; }
  void arrive() noexcept {
    if (left.fetch_sub(1) != 1) return;
    asked.reset();
    if (failed != nullptr) return sender_library::set_error(std::move(to), std::exception_ptr(failed));
    if (was_stopped) return sender_library::set_stopped(std::move(to));
    std::apply([this](auto&&... x) { sender_library::set_value(std::move(to), std::move(x)...); },
               std::tuple_cat(std::move(*of_a), std::move(*of_b)));
  }
};
template <class A, class B>
struct when_all_sender {
  using sender_concept = sender_tag;
  A a;
  B b;
  template <class Self, class Env>
  static consteval auto get_completion_signatures() {
    using together = decltype(std::tuple_cat(std::declval<values_of<A, stopping_env>>(),
                                             std::declval<values_of<B, stopping_env>>()));
    return typename ends_with<together>::type{};
  }
  template <receiver R>
  [[nodiscard]] auto connect(R r) && {
    return when_all_operation<A, B, R>(std::move(a), std::move(b), std::move(r));
  }
};
template <sender A, sender B>
[[nodiscard]] auto when_all(A a, B b) {
  return when_all_sender<A, B>{std::move(a), std::move(b)};
}

// --- just, sync_wait

template <class... T>
struct just_sender {
  using sender_concept = sender_tag;
  std::tuple<T...> values;
  template <class Self, class Env>
  static consteval auto get_completion_signatures() {
    return completion_signatures<set_value_t(T...)>{};
  }
  template <class R>
  struct operation {
    using operation_state_concept = operation_state_t;
    R to;
    std::tuple<T...> values;
    void start() & noexcept {
      std::apply([this](T&... x) { sender_library::set_value(std::move(to), std::move(x)...); }, values);
    }
  };
  template <receiver R>
  [[nodiscard]] operation<R> connect(R r) && {
    return {std::move(r), std::move(values)};
  }
};
template <class... T>
[[nodiscard]] auto just(T... x) {
  return just_sender<T...>{{std::move(x)...}};
}

template <class Values>
struct waiting : ends_once {
  std::mutex lock;
  std::condition_variable changed;
  bool over = false;
  std::optional<Values> values;
  std::exception_ptr failed;
  template <class... T>
  requires std::constructible_from<Values, T...>
  void value(first, T&&... x) noexcept {
    values.emplace(std::forward<T>(x)...);
    tell();
  }
  void error(first, std::exception_ptr e) noexcept {
    failed = std::move(e);
    tell();
  }
  void stopped(first) noexcept { tell(); }
  [[nodiscard]] static empty_env environment(first) noexcept { return {}; }
  void tell() noexcept {
    end();
    std::lock_guard const hold(lock);
    over = true;
    changed.notify_all();
  }
};
/// Blocks the thread.
template <sender S>
[[nodiscard]] auto sync_wait(S&& s) {
  using values = values_of<S, empty_env>;
  waiting<values> state;
  auto operation = connect(std::forward<S>(s), told<waiting<values>, first, empty_env>{&state});
  start(operation);
  std::unique_lock hold(state.lock);
  state.changed.wait(hold, [&] { return state.over; });
  if (state.failed != nullptr) std::rethrow_exception(state.failed);
  return std::move(state.values);
}

}  // namespace sender_library
