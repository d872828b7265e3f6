#pragma once

/// Futures and promises of several values, which are of one thread: what is attached to them runs where they become
/// ready. UPC++'s.
///
///     upcxx::promise<int> p;
///     upcxx::future<int> f = p.get_future();
///     upcxx::when_all(f, 2.5).then([](int a, double b) { ... });
///     p.fulfill_result(3);
///     p.finalize();
///
/// README.md, rules R1 to R3.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/upcxx/persona.hpp"

namespace upcxx {

template <class... T>
class promise;

namespace detail {

template <class X>
struct is_future : std::false_type {};
template <class... T>
struct is_future<future<T...>> : std::true_type {};
template <class X>
inline constexpr bool is_future_v = is_future<std::remove_cvref_t<X>>::value;

/// Called once, when the state that it was given to is ready, or is gone: then `really` is false.
struct follower {
  follower* next = nullptr;
  void (*run)(follower*, bool really) = nullptr;
};
template <class F>
struct follower_of : follower {
  F f;
  explicit follower_of(F&& its) : f(std::move(its)) {
    this->run = [](follower* x, bool really) {
      std::unique_ptr<follower_of> const mine(static_cast<follower_of*>(x));
      if (really) mine->f();
    };
  }
};

/// R1: used by one thread at a time. The count of handles alone is atomic, as a handle may end elsewhere.
struct state_base {
  std::atomic<long> handles{0};
  std::intptr_t open = 1;  ///< what has to be fulfilled yet
  bool is_ready = false;
  follower* first = nullptr;
  follower** last = &first;

  void follow(follower* x) {
    *last = x;
    last = &x->next;
  }
  void become_ready() {
    is_ready = true;
    for (follower* next = std::exchange(first, nullptr); next != nullptr;) {
      follower* const now = std::exchange(next, next->next);
      now->run(now, true);
    }
    last = &first;
  }
};
template <class... T>
struct state : state_base {
  std::optional<std::tuple<T...>> value;
  ~state() {
    while (first != nullptr) {  // never fulfilled
      follower* const gone = std::exchange(first, first->next);
      gone->run(gone, false);
    }
  }
};
template <class... T>
class state_ptr {
 public:
  state_ptr() noexcept = default;
  explicit state_ptr(state<T...>* s) noexcept : s_(s) { add(); }
  state_ptr(const state_ptr& other) noexcept : s_(other.s_) { add(); }
  state_ptr(state_ptr&& other) noexcept : s_(std::exchange(other.s_, nullptr)) {}
  state_ptr& operator=(state_ptr other) noexcept {
    std::swap(s_, other.s_);
    return *this;
  }
  ~state_ptr() {
    // acq_rel: the last handle sees what the others have done.
    if (s_ != nullptr && s_->handles.fetch_sub(1, std::memory_order_acq_rel) == 1) delete s_;
  }
  state<T...>* operator->() const noexcept { return s_; }
  state<T...>* get() const noexcept { return s_; }
  explicit operator bool() const noexcept { return s_ != nullptr; }

 private:
  void add() noexcept {
    if (s_ != nullptr) s_->handles.fetch_add(1, std::memory_order_relaxed);  // the caller has a handle already
  }
  state<T...>* s_ = nullptr;
};

template <class X>
struct future_of {
  using type = future<X>;
};
template <>
struct future_of<void> {
  using type = future<>;
};
template <class... T>
struct future_of<future<T...>> {
  using type = future<T...>;
};
/// The future of what a function gives: itself, if that is one.
template <class R>
using future_of_t = typename future_of<std::conditional_t<is_future_v<R>, std::remove_cvref_t<R>, R>>::type;

template <class A, class B>
struct joined;
template <class... A, class... B>
struct joined<future<A...>, future<B...>> {
  using type = future<A..., B...>;
};
template <class... F>
struct join_all {
  using type = future<>;
};
template <class F, class... More>
struct join_all<F, More...> {
  using type = typename joined<F, typename join_all<More...>::type>::type;
};
template <class X>
using as_future_t = std::conditional_t<is_future_v<X>, std::remove_cvref_t<X>, future<std::decay_t<X>>>;

/// How a value is handed to a function: as what it is to others, or as a copy where the function wants its own.
template <class T>
using shown = std::conditional_t<std::is_reference_v<T>, T, const T&>;
/// How a value goes from one state to another: what can't be copied is moved.
template <class T>
using passed = std::conditional_t<std::is_reference_v<T> || !std::is_copy_constructible_v<T>, T&&, const T&>;

template <int I, class... T>
struct pick {
  static constexpr bool all = I < 0 && sizeof...(T) != 1;
  static constexpr std::size_t at = I < 0 ? 0 : static_cast<std::size_t>(I);
  static constexpr bool none = I < 0 ? sizeof...(T) == 0 : at >= sizeof...(T);
};

inline void await(const state_base& s) {
  while (!s.is_ready) {
    if (in_progress()) die("upcxx: wait() of a future that is not ready, in what progress() runs: use then()");
    make_progress(true);
  }
}

struct default_wait {};

}  // namespace detail

/// The end of something, with its values. Copies mean the same. For one thread at a time, mostly that whose persona
/// makes it ready.
template <class... T>
class future {
 public:
  using results_type = std::tuple<T...>;
  static constexpr std::size_t count = sizeof...(T);

  /// Of a promise that nobody has: never ready.
  future() : s_(new detail::state<T...>) {}
  /// For this header's own use.
  explicit future(detail::state_ptr<T...> s) noexcept : s_(std::move(s)) {}
  future(const future&) = default;
  future& operator=(const future&) = default;
  /// The same as a copy.
  future(future&& other) noexcept : s_(other.s_) {}
  future& operator=(future&& other) noexcept {
    s_ = other.s_;
    return *this;
  }

  /// Its values are there.
  [[nodiscard]] bool ready() const noexcept { return s_->is_ready; }
  /// The same. Its name in later releases.
  [[nodiscard]] bool is_ready() const noexcept { return ready(); }

  /// Calls `f(values...)` when they are there, at once if they are; gives a future of what `f` gives.
  template <class F>
  auto then(F&& f) const;
  /// The same.
  template <class F>
  auto then_lazy(F&& f) const {
    return then(std::forward<F>(f));
  }

  /// The value; a tuple of several; void of none. With a number, that one of them. Requires: ready().
  template <int I = -1>
  [[nodiscard]] decltype(auto) result() const {
    return pick_value<I>(*this);
  }
  /// All values. Requires: ready().
  [[nodiscard]] std::tuple<T...> result_tuple() const { return values(); }
  /// The same as result(), by reference.
  template <int I = -1>
  [[nodiscard]] decltype(auto) result_reference() const {
    using p = detail::pick<I, T...>;
    if constexpr (p::none)
      return;
    else if constexpr (p::all)
      return references(std::index_sequence_for<T...>());
    else
      return static_cast<shown_at<p::at>>(std::get<p::at>(values()));
  }
  /// Makes progress until it is ready; then result(). Blocks the fiber. Not within what progress() runs. Where a
  /// function is given, calls that in place of progress.
  template <int I = -1, class Progress = detail::default_wait>
  decltype(auto) wait(Progress&& p = {}) const {
    await(p);
    return pick_value<I>(*this);
  }
  /// The same for result_tuple().
  template <class Progress = detail::default_wait>
  std::tuple<T...> wait_tuple(Progress&& p = {}) const {
    await(p);
    return values();
  }
  /// The same for result_reference().
  template <int I = -1, class Progress = detail::default_wait>
  decltype(auto) wait_reference(Progress&& p = {}) const {
    await(p);
    return result_reference<I>();
  }

  /// For this header's own use.
  [[nodiscard]] const detail::state_ptr<T...>& its_state() const noexcept { return s_; }

 private:
  template <std::size_t I>
  using shown_at =
      std::conditional_t<std::is_reference_v<std::tuple_element_t<I, std::tuple<T...>>>,
                         std::tuple_element_t<I, std::tuple<T...>>, const std::tuple_element_t<I, std::tuple<T...>>&>;
  std::tuple<T...>& values() const {
    if (!s_->is_ready) detail::die("upcxx: the result of a future that is not ready");
    return *s_->value;
  }
  template <std::size_t... I>
  std::tuple<detail::shown<T>...> references(std::index_sequence<I...>) const {
    return std::tuple<detail::shown<T>...>(static_cast<detail::shown<T>>(std::get<I>(values()))...);
  }
  template <int I>
  static decltype(auto) pick_value(const future& f) {
    using p = detail::pick<I, T...>;
    if constexpr (p::none)
      return;
    else if constexpr (p::all)
      return std::tuple<T...>(f.values());
    else
      return static_cast<std::tuple_element_t<p::at, std::tuple<T...>>>(std::get<p::at>(f.values()));
  }
  template <class Progress>
  void await(Progress& p) const {
    if constexpr (std::is_same_v<std::remove_cvref_t<Progress>, detail::default_wait>) {
      detail::await(*s_.get());
    } else {
      while (!s_->is_ready) p();
    }
  }
  detail::state_ptr<T...> s_;
};

namespace detail {

template <class... T, class... V>
void put_values(state<T...>& s, V&&... values) {
  if (s.value.has_value()) die("upcxx: a promise has its result already");
  s.value.emplace(std::forward<V>(values)...);
}
/// `n` of what is open has ended; the last one makes it ready.
template <class... T>
void fulfil(state<T...>& s, std::intptr_t n) {
  if (s.open < n) die("upcxx: a promise is fulfilled more often than was required");
  s.open -= n;
  if (s.open != 0) return;
  if constexpr (sizeof...(T) == 0) {
    if (!s.value.has_value()) s.value.emplace();
  } else {
    if (!s.value.has_value()) die("upcxx: a promise has come to its end without a result");
  }
  state_ptr<T...> const kept(&s);  // what follows may drop the last handle
  s.become_ready();
}

/// Calls `f(state)` when it is ready, at once if it is.
template <class... T, class F>
void when_ready(const state_ptr<T...>& s, F f) {
  if (s->is_ready) return f();
  auto call = [f = std::move(f)]() mutable { f(); };
  s->follow(new follower_of<decltype(call)>(std::move(call)));
}

/// When `from` is ready, its values become those of `to`.
template <class... T>
void pass_on(const state_ptr<T...>& from, const state_ptr<T...>& to) {
  when_ready(from, [p = from.get(), to] {
    state_ptr<T...> const kept(p);
    std::apply([&](auto&... v) { put_values(*to.get(), static_cast<passed<T>>(v)...); }, *p->value);
    fulfil(*to.get(), 1);
  });
}

/// Calls `f` with the values; gives what it gives.
template <class F, class... T>
decltype(auto) apply_values(F& f, std::tuple<T...>& values) {
  return std::apply(
      [&f](auto&... v) -> decltype(auto) {
        if constexpr (std::is_invocable_v<F&&, shown<T>...>)
          return std::forward<F>(f)(static_cast<shown<T>>(v)...);
        else
          return std::forward<F>(f)(T(v)...);  // the function wants its own
      },
      values);
}

/// Calls `f` with `values`; what it gives becomes the value of `to`.
template <class F, class Values, class... R>
void call_into(const state_ptr<R...>& to, F&& f, Values&& call) {
  using result = decltype(call(f));
  if constexpr (std::is_void_v<result>) {
    call(f);
    fulfil(*to.get(), 1);
  } else if constexpr (is_future_v<result>) {
    auto inner = call(f);
    pass_on(inner.its_state(), to);
  } else {
    put_values(*to.get(), call(f));
    fulfil(*to.get(), 1);
  }
}

template <class... T>
future<T...> fresh() {
  return future<T...>();
}
template <class Future>
struct fresh_of;
template <class... T>
struct fresh_of<future<T...>> {
  static future<T...> make() { return future<T...>(); }
};

}  // namespace detail

template <class... T>
template <class F>
auto future<T...>::then(F&& f) const {
  using function = std::decay_t<F>;
  using result = decltype(detail::apply_values(std::declval<function&>(), std::declval<std::tuple<T...>&>()));
  auto made = detail::fresh_of<detail::future_of_t<result>>::make();
  detail::when_ready(s_, [from = s_.get(), to = made.its_state(), f = function(std::forward<F>(f))]() mutable {
    detail::state_ptr<T...> const kept(from);
    detail::call_into(to, f, [&](function& its) -> decltype(auto) { return detail::apply_values(its, *kept->value); });
  });
  return made;
}

/// What fulfils a future: with its values once, and as many times without as was required. Counts 1 at first, which
/// finalize() takes off. For one thread at a time.
template <class... T>
class promise {
 public:
  /// `open`: how much has to be fulfilled, finalize() included.
  explicit promise(std::intptr_t open = 1) : s_(new detail::state<T...>) { s_->open = open; }
  /// Of the same future.
  promise(const promise&) = default;
  promise& operator=(const promise&) = delete;
  promise(promise&& other) noexcept : s_(std::move(other.s_)) {}
  promise& operator=(promise&& other) noexcept {
    s_ = std::move(other.s_);
    return *this;
  }
  /// Counts `n` more.
  void require_anonymous(std::intptr_t n) const {
    if (s_->is_ready) detail::die("upcxx: require_anonymous of a promise that is fulfilled");
    s_->open += n;
  }
  /// Takes `n` off.
  void fulfill_anonymous(std::intptr_t n) const {
    auto const kept = s_;
    detail::fulfil(*kept.get(), n);
  }
  /// Has the values; takes 1 off. Once.
  template <class... V>
  void fulfill_result(V&&... values) const {
    auto const kept = s_;
    detail::put_values(*kept.get(), std::forward<V>(values)...);
    detail::fulfil(*kept.get(), 1);
  }
  /// Takes 1 off; gives the future.
  future<T...> finalize() const {
    auto const kept = s_;
    detail::fulfil(*kept.get(), 1);
    return future<T...>(kept);
  }
  /// The future that it fulfils; all are the same.
  [[nodiscard]] future<T...> get_future() const { return future<T...>(s_); }
  /// For this header's own use.
  [[nodiscard]] const detail::state_ptr<T...>& its_state() const noexcept { return s_; }

 private:
  detail::state_ptr<T...> s_;
};

/// A future that has these values already: of the types that are named, or else of those of the values.
template <class... T>
[[nodiscard]] future<T...> make_future(T... values) {
  future<T...> made;
  detail::put_values(*made.its_state().get(), std::forward<T>(values)...);
  detail::fulfil(*made.its_state().get(), 1);
  return made;
}
/// A future as it is, any other value as a future that has it.
template <class X>
[[nodiscard]] auto to_future(X&& x) {
  if constexpr (detail::is_future_v<X>)
    return std::remove_cvref_t<X>(std::forward<X>(x));
  else
    return make_future<std::decay_t<X>>(std::forward<X>(x));
}

namespace detail {
template <class... F>
auto tied_values(const F&... futures) {
  return std::tuple_cat(std::apply([](auto&... v) { return std::tie(v...); }, *futures.its_state()->value)...);
}
}  // namespace detail

/// A future of the values of all of these, in their order, ready when all are. A value stands for a future of it.
template <class... X>
[[nodiscard]] auto when_all(X&&... each) {
  using made_type = typename detail::join_all<detail::as_future_t<X>...>::type;
  made_type made = detail::fresh_of<made_type>::make();
  auto const to = made.its_state();
  auto const futures = std::make_shared<std::tuple<detail::as_future_t<X>...>>(to_future(std::forward<X>(each))...);
  auto const left = std::make_shared<std::size_t>(sizeof...(X) + 1);
  auto const one_less = [futures, left, to] {
    if (--*left != 0) return;
    auto all = std::apply([](const auto&... f) { return detail::tied_values(f...); }, *futures);
    std::apply(
        [&to](auto&... v) {
          [&to]<class... T>(const detail::state_ptr<T...>&, auto&... its) {
            detail::put_values(*to.get(), static_cast<detail::passed<T>>(its)...);
          }(to, v...);
        },
        all);
    detail::fulfil(*to.get(), 1);
  };
  std::apply([&](const auto&... f) { (detail::when_ready(f.its_state(), one_less), ...); }, *futures);
  one_less();
  return made;
}

namespace detail {
/// Puts the values of `from`, which is of the running persona, into `to` within `there`.
template <class... T>
void pass_on_to(persona& there, const state_ptr<T...>& from, const state_ptr<T...>& to) {
  when_ready(from, [p = from.get(), &there, to] {
    state_ptr<T...> const kept(p);
    there.lpc_ff([values = std::make_shared<std::tuple<T...>>(std::move(*kept->value)), to] {
      std::apply([&](auto&... v) { put_values(*to.get(), static_cast<T&&>(v)...); }, *values);
      fulfil(*to.get(), 1);
    });
  });
}
}  // namespace detail

template <class F>
auto persona::lpc(F&& f) {
  using function = std::decay_t<F>;
  using result = std::invoke_result_t<function&&>;
  using given =
      detail::future_of_t<std::conditional_t<std::is_rvalue_reference_v<result>, std::remove_cvref_t<result>, result>>;
  given made = detail::fresh_of<given>::make();
  persona& back = current_persona();
  lpc_ff([f = function(std::forward<F>(f)), to = made.its_state(), &back]() mutable {
    given inner = detail::fresh_of<given>::make();
    detail::call_into(inner.its_state(), f, [](function& its) -> decltype(auto) { return std::move(its)(); });
    detail::pass_on_to(back, inner.its_state(), to);
  });
  return made;
}

}  // namespace upcxx
