#pragma once

/// Results that are still being made: future, shared_future, promise, as in std (packaged_task.hpp has the rest), and
/// what HPX adds: then, make_ready_future, make_future. A wait suspends the fiber, never the core; a wait for a task
/// that nobody has begun runs it.
///
///     amity::promise<int> p;
///     amity::future<int> f = p.get_future();
///     auto text = f.then([](amity::future<int> g) { return std::to_string(g.get()); });
///     p.set_value(42);                  // a second put throws amity::future_error, promise_already_satisfied
///     text.get();                       // "42"
///
/// Memory ordering: what the maker of the value did before happens before the return of get() and wait().

#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/future/caught.hpp"
#include "amity/future/state.hpp"
#include "amity/future/task_state.hpp"

namespace amity {

template <class T>
class future;
template <class T>
class shared_future;
template <class T>
class promise;

/// Where a call runs: `async`: as a task; `sync`: by the thread that makes it ready; `deferred`: when a fiber waits for
/// its future, or has something follow it (then, when_all, co_await); then that fiber makes the call, or, if the call
/// has inputs that are not ready yet, the thread that makes them ready. If no fiber does so, never.
/// HPX's `fork`, `apply` and `all` are other names of `async`. A set of them, as std::launch is: any will do, and the
/// one that begins earliest is taken; of none, `async`.
enum class launch : std::uint8_t { async = 1, sync = 2, deferred = 4, fork = async, apply = async, all = async };
/// What is in either.
[[nodiscard]] constexpr launch operator|(launch a, launch b) noexcept {
  return static_cast<launch>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
/// What is in both.
[[nodiscard]] constexpr launch operator&(launch a, launch b) noexcept {
  return static_cast<launch>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}
/// What is in one of them alone.
[[nodiscard]] constexpr launch operator^(launch a, launch b) noexcept {
  return static_cast<launch>(static_cast<unsigned>(a) ^ static_cast<unsigned>(b));
}
/// All others.
[[nodiscard]] constexpr launch operator~(launch a) noexcept {
  return a ^ (launch::async | launch::sync | launch::deferred);
}
/// In place.
constexpr launch& operator|=(launch& a, launch b) noexcept { return a = a | b; }
/// The same.
constexpr launch& operator&=(launch& a, launch b) noexcept { return a = a & b; }
/// The same.
constexpr launch& operator^=(launch& a, launch b) noexcept { return a = a ^ b; }

/// What a timed wait ends with: ready, timeout or deferred.
using std::future_status;

namespace detail {

/// The one of a set that is taken.
[[nodiscard]] constexpr launch earliest(launch how) noexcept {
  for (launch const one : {launch::async, launch::sync, launch::deferred})
    if ((how & one) == one) return one;
  return launch::async;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_future_error(future_errc code) { throw future_error(code); }

template <class T>
struct is_future : std::false_type {};
template <class T>
struct is_future<future<T>> : std::true_type {};
template <class T>
struct is_future<shared_future<T>> : std::true_type {};
template <class T>
inline constexpr bool is_future_v = is_future<std::remove_cvref_t<T>>::value;

/// What calls may be given to: an executor (amity/algo/executor.hpp). `run(f)` gives a future.
template <class E>
concept runs_calls = requires(const E& e, void (*f)()) {
  e.run(f);
};
/// One that makes the call there and then, as it says by `runs_in_place`.
template <class E>
concept runs_in_place = runs_calls<E> && requires {
  requires E::runs_in_place;
};
/// Where what an executor is to run begins: with one that runs it there and then, another task would be in between.
template <class E>
inline constexpr launch begun_by = runs_in_place<E> ? launch::sync : launch::async;
/// `f`, run by an executor: a call gives a future.
template <class Executor, class F>
struct run_by {
  Executor executor;
  F f;
  template <class... X>
  requires std::is_invocable_v<F, X...>
  auto operator()(X&&... x) {
    return executor.run([f = std::move(f), ... x = std::forward<X>(x)]() mutable -> decltype(auto) {
      return std::invoke(std::move(f), std::move(x)...);
    });
  }
};
template <class Executor, class F>
run_by(const Executor&, F) -> run_by<Executor, F>;

/// The parts of future and shared_future that differ in nothing.
template <class T>
class handle {
 public:
  using value_type = T;

  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }
  /// A value or an exception is there.
  [[nodiscard]] bool is_ready() const noexcept { return state_ != nullptr && looks_complete(*state_); }
  [[nodiscard]] bool has_exception() const noexcept { return is_ready() && state_->how == outcome::error; }
  [[nodiscard]] bool has_value() const noexcept { return is_ready() && state_->how == outcome::value; }

  /// Waits for a value or an exception.
  void wait() const { detail::wait(checked()); }
  /// Waits, and gives the exception, which get() still throws; null: there is a value.
  [[nodiscard]] std::exception_ptr get_exception_ptr() const {
    wait();
    return state_->how == outcome::error ? behind<std::exception_ptr>(*state_) : nullptr;
  }

  /// The same for a while. Does not run the task here, as wait() may; a deferred one is not begun. Without time left it
  /// is a look and no more; but of many looks in vain, with one worker, some let a queued task run first
  /// (this_task::yield).
  template <class Rep, class Period>
  future_status wait_for(const std::chrono::duration<Rep, Period>& wait) const {
    return status([&](state& s) {
      if (wait <= wait.zero()) return ask(s, asker::looks), detail::note_vain_poll(), false;
      return detail::wait_until(s, sched::instant_after(wait));
    });
  }
  template <class Clock, class Duration>
  future_status wait_until(const std::chrono::time_point<Clock, Duration>& time) const {
    return status([&](state& s) {
      return sched::wait_by_clock(time, [&s](sched::instant deadline) { return detail::wait_until(s, deadline); });
    });
  }

  /// For code that builds on it: null if it is empty.
  [[nodiscard]] state* state_or_null() const noexcept { return state_; }

 protected:
  handle() noexcept = default;
  explicit handle(state* s) noexcept : state_(s) {}
  [[nodiscard]] state& checked() const {
    if (state_ == nullptr) [[unlikely]]
      throw_future_error(future_errc::no_state);
    return *state_;
  }
  template <class Wait>
  [[nodiscard]] future_status status(Wait wait) const {
    state& s = checked();
    if (is_complete(s)) return future_status::ready;
    if (is_deferred(s)) return future_status::deferred;
    return wait(s) ? future_status::ready : future_status::timeout;
  }
  state* state_ = nullptr;
};

/// A future of `s`, whose reference it takes over.
template <class T>
[[nodiscard]] future<T> adopt(state& s) noexcept {
  return future<T>(&s);
}

}  // namespace detail

/// The result of a task or promise, for one reader. Move-only. Its destructor does not wait: the task goes on.
template <class T>
class future : public detail::handle<T> {
  using base = detail::handle<T>;

 public:
  future() noexcept = default;
  /// For code that builds on it: takes over a reference.
  explicit future(detail::state* s) noexcept : base(s) {}
  future(future&& other) noexcept : base(std::exchange(other.state_, nullptr)) {}
  future& operator=(future&& other) noexcept {
    if (this == &other) return *this;
    reset();
    this->state_ = std::exchange(other.state_, nullptr);
    return *this;
  }
  /// A future of a future is a future that waits for both.
  future(future<future<T>>&& nested);
  /// The same.
  future(future<shared_future<T>>&& nested);
  /// That it is done, without the value.
  template <class U>
  requires(std::is_void_v<T> && !std::is_void_v<U> && !detail::is_future_v<U>) future(future<U>&& other);
  ~future() { reset(); }

  /// Waits and takes the value, or throws the exception. The future is empty afterwards.
  T get() {
    detail::state& s = this->checked();
    detail::wait_alone(s);
    const detail::reference<T> taken{*std::exchange(this->state_, nullptr)};
    if constexpr (std::is_void_v<T>)
      static_cast<void>(detail::only_value<T>(s));
    else if constexpr (std::is_reference_v<T>)
      return *detail::only_value<T>(s);
    else
      return std::move(detail::only_value<T>(s));
  }

  /// A future for several readers. This one is empty afterwards.
  [[nodiscard]] shared_future<T> share() noexcept { return shared_future<T>(std::move(*this)); }

  /// Calls `f` with this future once it is ready; gives a future of the result, or what `f` gives if that is a future.
  /// This one is empty afterwards.
  template <class F>
  auto then(launch how, F&& f);
  /// The same as a task.
  template <class F>
  auto then(F&& f) {
    return then(launch::async, std::forward<F>(f));
  }
  /// The same, run by an executor. One that runs calls in place does so where this is made ready, as launch::sync.
  template <detail::runs_calls Executor, class F>
  auto then(const Executor& executor, F&& f) {
    return then(detail::begun_by<Executor>, detail::run_by{executor, std::decay_t<F>(std::forward<F>(f))});
  }

  /// The state, whose reference is the caller's from now.
  [[nodiscard]] detail::state* release() noexcept { return std::exchange(this->state_, nullptr); }

 private:
  [[gnu::always_inline]] void reset() noexcept {
    if (this->state_ != nullptr) detail::abandon<T>(*this->state_);
    this->state_ = nullptr;
  }
};

/// The result of a task or promise, for any number of readers. Copies are handles of one result.
template <class T>
class shared_future : public detail::handle<T> {
  using base = detail::handle<T>;

 public:
  shared_future() noexcept = default;
  /// Takes it over; `f` is empty afterwards.
  shared_future(future<T>&& f) noexcept : base(f.release()) {}
  /// That it is done, without the value.
  template <class U>
  requires(std::is_void_v<T> && !std::is_void_v<U>) shared_future(const shared_future<U>& other);
  /// Another handle of the same result.
  shared_future(const shared_future& other) noexcept : base(other.state_) { keep(); }
  shared_future(shared_future&& other) noexcept : base(std::exchange(other.state_, nullptr)) {}
  /// Lets go of the result that it had.
  shared_future& operator=(shared_future other) noexcept {
    std::swap(this->state_, other.state_);
    return *this;
  }
  ~shared_future() {
    if (this->state_ != nullptr) detail::drop<T>(*this->state_);
  }

  /// Waits; a reference to the value, which lives as long as some copy of this, or throws the exception.
  decltype(auto) get() const {
    detail::state& s = this->checked();
    detail::wait(s);
    if constexpr (std::is_void_v<T>)
      static_cast<void>(detail::value<T>(s));
    else if constexpr (std::is_reference_v<T>)
      return static_cast<T>(*detail::value<T>(s));
    else
      return static_cast<const T&>(detail::value<T>(s));
  }

  /// Calls `f` with a copy of this once it is ready; gives a future of the result, or what `f` gives if that is one.
  template <class F>
  auto then(launch how, F&& f) const;
  /// The same as a task.
  template <class F>
  auto then(F&& f) const {
    return then(launch::async, std::forward<F>(f));
  }
  /// The same, run by an executor. One that runs calls in place does so where this is made ready, as launch::sync.
  template <detail::runs_calls Executor, class F>
  auto then(const Executor& executor, F&& f) const {
    return then(detail::begun_by<Executor>, detail::run_by{executor, std::decay_t<F>(std::forward<F>(f))});
  }

 private:
  void keep() noexcept {
    // Relaxed: the copy is made from one that holds a reference.
    if (this->state_ != nullptr) this->state_->references.fetch_add(1, std::memory_order_relaxed);
  }
};

namespace detail {

/// Makes a state ready at the end of the running task.
template <class T>
struct exit_put : sched::exit_call {
  state& of;
  explicit exit_put(state& s) noexcept : of(s) {}
  /// The outcome is there. Frees itself.
  void arm() noexcept {
    of.references.fetch_add(1, std::memory_order_relaxed);  // the caller holds one
    this->run = [](sched::exit_call& c) noexcept {
      std::unique_ptr<exit_put> const me(static_cast<exit_put*>(&c));
      complete(me->of);
      drop<T>(me->of);
    };
    sched::add_exit_call(*this);
  }
};

/// What promise<T>, promise<T&> and promise<void> share.
template <class T>
class promise_base {
 public:
  promise_base() : state_(&new_state<T>()) {}
  /// For code that builds on it: of a state that has a future. Takes over a reference.
  explicit promise_base(state& s) noexcept : state_(&s), retrieved_(true) {}
  promise_base(promise_base&& other) noexcept
      : state_(std::exchange(other.state_, nullptr)), retrieved_(other.retrieved_), put_(other.put_.load()) {}
  promise_base& operator=(promise_base&& other) noexcept {
    if (this == &other) return *this;
    reset();
    state_ = std::exchange(other.state_, nullptr);
    retrieved_ = other.retrieved_;
    put_.store(other.put_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    return *this;
  }
  ~promise_base() { reset(); }

  /// Requires: no thread puts meanwhile.
  void swap(promise_base& other) noexcept {
    std::swap(state_, other.state_);
    std::swap(retrieved_, other.retrieved_);
    put_.store(other.put_.exchange(put_.load(std::memory_order_relaxed), std::memory_order_relaxed),
               std::memory_order_relaxed);
  }

  [[nodiscard]] future<T> get_future() {
    if (state_ == nullptr) throw_future_error(future_errc::no_state);
    if (std::exchange(retrieved_, true)) throw_future_error(future_errc::future_already_retrieved);
    return adopt<T>(*state_);
  }

  void set_exception(std::exception_ptr error) {
    state& s = claim();
    put_error(s, std::move(error));
    complete(s);
  }

  /// As set_value_at_thread_exit.
  void set_exception_at_thread_exit(std::exception_ptr error) {
    put_at_exit([&](state& s) { put_error(s, std::move(error)); });
  }

 protected:
  /// `put(state)` puts an outcome now, which is delivered at the end of what runs.
  template <class Put>
  void put_at_exit(Put put) {
    state& s = claim();
    try {
      auto told = std::make_unique<exit_put<T>>(s);
      put(s);
      told.release()->arm();
    } catch (...) {
      unclaim();
      throw;
    }
  }
  /// The right to put. Two that race for it: one gets it, the other an error.
  state& claim() {
    if (state_ == nullptr) throw_future_error(future_errc::no_state);
    if (put_.exchange(true, std::memory_order_relaxed)) throw_future_error(future_errc::promise_already_satisfied);
    return *state_;
  }
  /// The value's constructor threw: there is no value yet.
  void unclaim() noexcept { put_.store(false, std::memory_order_relaxed); }

 private:
  void reset() noexcept {
    if (state_ == nullptr) return;
    if (!put_.load(std::memory_order_relaxed)) {
      put_error(*state_, std::make_exception_ptr(future_error(future_errc::broken_promise)));
      complete(*state_);
    }
    if (!retrieved_) drop<T>(*state_);
    drop<T>(*state_);
  }

  state* state_;
  bool retrieved_ = false;
  std::atomic<bool> put_{false};
};

}  // namespace detail

/// Where a result is put, once. If it goes without one, those that wait get future_error, broken_promise.
template <class T>
class promise : public detail::promise_base<T> {
 public:
  using detail::promise_base<T>::promise_base;
  /// Makes the future ready, and those that wait for it. Never blocks. The second put throws future_error,
  /// promise_already_satisfied.
  void set_value(const T& value) { put(value); }
  /// The same.
  void set_value(T&& value) { put(std::move(value)); }

  /// Puts the value now, but the future is not ready before the end of the task that calls, of any kind, or of the
  /// amity::thread; outside of tasks, of the thread. Its variables are gone by then. A coroutine's task ends where it
  /// suspends; a call that fork_join or an algorithm has another worker run counts as a task. Else as set_value.
  void set_value_at_thread_exit(const T& value) {
    this->put_at_exit([&](detail::state& s) { detail::put_value<T>(s, value); });
  }
  /// The same.
  void set_value_at_thread_exit(T&& value) {
    this->put_at_exit([&](detail::state& s) { detail::put_value<T>(s, std::move(value)); });
  }

 private:
  template <class U>
  void put(U&& value) {
    detail::state& s = this->claim();
    try {
      detail::put_value<T>(s, std::forward<U>(value));
    } catch (...) {
      this->unclaim();
      throw;
    }
    detail::complete(s);
  }
};

/// A promise of a reference.
template <class T>
class promise<T&> : public detail::promise_base<T&> {
 public:
  using detail::promise_base<T&>::promise_base;
  /// Requires: the object outlives all uses of the reference.
  void set_value(T& value) {
    detail::state& s = this->claim();
    detail::put_value<T&>(s, std::addressof(value));
    detail::complete(s);
  }
  /// The same, at the end of the task or thread, as the others.
  void set_value_at_thread_exit(T& value) {
    this->put_at_exit([&](detail::state& s) { detail::put_value<T&>(s, std::addressof(value)); });
  }
};

/// A promise of nothing but that it is done.
template <>
class promise<void> : public detail::promise_base<void> {
 public:
  using detail::promise_base<void>::promise_base;
  /// As the others.
  void set_value() {
    detail::state& s = this->claim();
    detail::put_value<void>(s);
    detail::complete(s);
  }
  /// As the others.
  template <class = void>
  void set_value_at_thread_exit() {
    put_at_exit([](detail::state& s) { detail::put_value<void>(s); });
  }
};

/// Exchanges what they promise. Requires: no thread puts meanwhile.
template <class T>
void swap(promise<T>& a, promise<T>& b) noexcept {
  a.swap(b);
}

/// A future that is ready; of a std::reference_wrapper, one of a reference.
template <int = 0, class T>
[[nodiscard]] future<std::unwrap_ref_decay_t<T>> make_ready_future(T&& value) {
  promise<std::unwrap_ref_decay_t<T>> p;
  p.set_value(std::forward<T>(value));
  return p.get_future();
}
/// The same with a T made of `args`; without any for void.
template <class T, class... Args>
[[nodiscard]] future<T> make_ready_future(Args&&... args) {
  promise<T> p;
  if constexpr (std::is_void_v<T> || std::is_reference_v<T>)
    p.set_value(std::forward<Args>(args)...);
  else
    p.set_value(T(std::forward<Args>(args)...));
  return p.get_future();
}
/// The same without a value.
[[nodiscard]] inline future<void> make_ready_future() { return make_ready_future<void>(); }
/// A future that is ready and throws.
template <class T>
[[nodiscard]] future<T> make_exceptional_future(std::exception_ptr error) {
  promise<T> p;
  p.set_exception(std::move(error));
  return p.get_future();
}
/// The same.
template <class T, class E>
[[nodiscard]] future<T> make_exceptional_future(E error) {
  return make_exceptional_future<T>(std::make_exception_ptr(std::move(error)));
}

// --- results that are passed on

namespace detail {

/// Puts what `f` returns, or throws.
template <class T, class F>
void fulfil(promise<T>& to, F&& f) {
  auto error = caught([&] {
    if constexpr (std::is_void_v<T>) {
      f();
      to.set_value();
    } else {
      to.set_value(f());
    }
  });
  if (error != nullptr) to.set_exception(std::move(error));
}

/// Puts what `from` will hold, once it is ready.
template <class Handle, class T>
void pass_on(Handle from, promise<T>& to) {
  if (!from.valid()) throw_future_error(future_errc::no_state);  // as long as `to` can be told
  auto pass = [to = std::move(to)](Handle ready) mutable {
    fulfil(to, [&]() -> T { return static_cast<T>(ready.get()); });
  };
  std::move(from).then(launch::sync, as_glue{std::move(pass)});
}

/// The maker of a future; the first thread that waits for the result calls it.
template <class T, class Start>
struct deferred_start {
  static void run(sched::task& t, worker&, sched::call how) noexcept {
    auto& s = static_cast<state&>(t);
    Start& behind_it = behind<Start>(s);
    if (how == sched::call::discard) return std::destroy_at(std::addressof(behind_it));
    std::uint8_t free = 0;
    // Acquire: with the other of two that wait nothing is passed on but by the state itself.
    bool const mine = s.claimed.compare_exchange_strong(free, 1, std::memory_order_acquire, std::memory_order_relaxed);
    bool const has_reference = how == sched::call::from_queue;  // else the caller holds one
    if (!mine) return has_reference ? drop<T>(s) : void();
    if (!has_reference) s.references.fetch_add(1, std::memory_order_relaxed);
    promise<T> to(s);
    bool is_moved = false;
    std::exception_ptr error = caught([&] {
      Start start(std::move(behind_it));
      is_moved = true;
      std::destroy_at(std::addressof(behind_it));  // the result takes its place
      pass_on(start(), to);
    });
    if (!is_moved) std::destroy_at(std::addressof(behind_it));
    // Without memory to pass it on, the promise is broken by now, and says so itself.
    if (error != nullptr) static_cast<void>(caught([&] { to.set_exception(std::move(error)); }));
  }
};

/// A future of what the future holds that `start()` gives. `start` is called when a thread waits for the result, or
/// attaches a continuation; if none does, never.
template <class Start>
auto defer(Start start) {
  using result = typename std::invoke_result_t<Start&>::value_type;
  state& s = make_state_with<result, Start>(sched::this_worker(), std::move(start));
  s.run = &deferred_start<result, Start>::run;
  s.claimed.store(deferred, std::memory_order_relaxed);
  s.references.store(1, std::memory_order_relaxed);  // it lies in no queue
  return adopt<result>(s);
}

}  // namespace detail

// --- then

namespace detail {

/// The closure of `then`: `f(antecedent)`, once that is ready.
template <class Handle, class F>
struct continuation {
  static constexpr bool is_glue = glue<F>;
  Handle antecedent;
  F f;
  gate inputs{};
  gate::link links[1]{};
  decltype(auto) operator()() { return std::invoke(std::move(f), std::move(antecedent)); }
};

template <class Handle, class F>
auto continue_when_ready(resume how, Handle&& antecedent, F&& f) {
  using closure = continuation<std::remove_cvref_t<Handle>, std::decay_t<F>>;
  using result = std::invoke_result_t<std::decay_t<F>, std::remove_cvref_t<Handle>>;
  state* const input = antecedent.state_or_null();
  state& s = make_task<result, closure>(sched::this_worker(), std::forward<Handle>(antecedent), std::forward<F>(f));
  future<result> made = adopt<result>(s);
  s.claimed.store(not_ready, std::memory_order_relaxed);  // nobody knows it yet
  auto& c = behind<closure>(s);
  state* const inputs[] = {input};
  struct view {
    state* const* first;
    [[nodiscard]] static constexpr std::size_t size() noexcept { return 1; }
    [[nodiscard]] auto begin() const noexcept { return first; }
    [[nodiscard]] auto end() const noexcept { return first + 1; }
  };
  c.inputs.open_after(s, how, view{inputs}, c.links);
  return made;
}

template <class T>
future<T> flattened(future<T> f) {
  return f;
}
template <class T>
future<T> flattened(future<future<T>> f) {
  return future<T>(std::move(f));
}
template <class T>
future<T> flattened(future<shared_future<T>> f) {
  return future<T>(std::move(f));
}

template <class Handle, class F>
auto continue_with(launch how, Handle&& antecedent, F&& f) {
  constexpr bool takes_future = std::is_invocable_v<std::decay_t<F>, std::remove_cvref_t<Handle>>;
  static_assert(takes_future,
                "then(f): f is called with the ready future, not with its value; "
                "f.then(unwrapping(g)) calls g with that");
  if constexpr (!takes_future) {
    return future<void>();  // has been said
  } else {
    if (!antecedent.valid()) throw_future_error(future_errc::no_state);
    how = earliest(how);
    if (how == launch::deferred)
      return defer([antecedent = std::forward<Handle>(antecedent), f = std::forward<F>(f)]() mutable {
        return flattened(continue_when_ready(resume::at_once, std::move(antecedent), std::move(f)));
      });
    return flattened(continue_when_ready(how == launch::sync ? resume::at_once : resume::queued,
                                         std::forward<Handle>(antecedent), std::forward<F>(f)));
  }
}

}  // namespace detail

template <class T>
template <class F>
auto future<T>::then(launch how, F&& f) {
  return detail::continue_with(how, std::move(*this), std::forward<F>(f));
}

template <class T>
template <class F>
auto shared_future<T>::then(launch how, F&& f) const {
  return detail::continue_with(how, *this, std::forward<F>(f));
}

namespace detail {

/// A future of what the future holds that `outer` holds.
template <class T, class Inner>
future<T> unnested(future<Inner> outer) {
  promise<T> p;
  future<T> made = p.get_future();
  auto unwrap = [p = std::move(p)](future<Inner> ready) mutable {
    auto error = caught([&] { pass_on(ready.get(), p); });
    if (error != nullptr) p.set_exception(std::move(error));
  };
  std::move(outer).then(launch::sync, as_glue{std::move(unwrap)});
  return made;
}

/// Gives the value of a ready future to a function.
template <class R, class F>
struct conversion {
  F f;
  template <class Handle>
  R operator()(Handle ready) {
    if constexpr (std::is_void_v<typename Handle::value_type>) {
      ready.get();
      return static_cast<R>(std::invoke(std::move(f)));
    } else {
      return static_cast<R>(std::invoke(std::move(f), ready.get()));
    }
  }
};

/// A future that is ready when `f` is, and throws what that does.
template <class Handle>
future<void> without_value(Handle f) {
  promise<void> p;
  future<void> made = p.get_future();
  pass_on(std::move(f), p);
  return made;
}

}  // namespace detail

template <class T>
future<T>::future(future<future<T>>&& nested) : future(detail::unnested<T>(std::move(nested))) {}

template <class T>
future<T>::future(future<shared_future<T>>&& nested) : future(detail::unnested<T>(std::move(nested))) {}

template <class T>
template <class U>
requires(std::is_void_v<T> && !std::is_void_v<U> && !detail::is_future_v<U>) future<T>::future(future<U>&& other)
    : future(detail::without_value(std::move(other))) {}

template <class T>
template <class U>
requires(std::is_void_v<T> && !std::is_void_v<U>) shared_future<T>::shared_future(const shared_future<U>& other)
    : shared_future(detail::without_value(other)) {}

// --- made of values and of other futures

/// A future that is ready: of nothing, of one value, or of a tuple of several. As UPC++'s.
template <int = 0, class... T>
requires(sizeof...(T) != 1 || (!detail::is_future_v<T> && ...)) [[nodiscard]] auto make_future(T&&... values) {
  if constexpr (sizeof...(T) <= 1)
    return make_ready_future(std::forward<T>(values)...);
  else
    return make_ready_future(std::tuple<std::unwrap_ref_decay_t<T>...>(std::forward<T>(values)...));
}
/// The future itself.
template <int = 0, class T>
[[nodiscard]] future<T> make_future(future<T>&& f) noexcept {
  return std::move(f);
}

/// A future of the result of `f` as an R, to which it converts implicitly; as nothing, for void. As HPX's. Never waits.
/// It holds what `f` throws, or the conversion. Here and below, future_error, no_state, is thrown if `f` is empty.
template <class R, class U>
requires(std::is_void_v<R> || std::is_convertible_v<U, R>) [[nodiscard]] future<R> make_future(future<U>&& f) {
  if constexpr (std::is_same_v<R, U>) {
    if (!f.valid()) detail::throw_future_error(future_errc::no_state);
    return std::move(f);
  } else {
    promise<R> p;
    future<R> made = p.get_future();
    detail::pass_on(std::move(f), p);
    return made;
  }
}
/// The same with a copy of the result; `f` is left as it is.
template <class R, class U>
requires(std::is_void_v<R> || std::is_convertible_v<const U&, R>)
    [[nodiscard]] future<R> make_future(const shared_future<U>& f) {
  promise<R> p;
  future<R> made = p.get_future();
  detail::pass_on(f, p);
  return made;
}
/// A future of `convert(value)`, called with the value of `f`, or without for void, where that is made ready.
template <class R, class U, class Convert>
[[nodiscard]] future<R> make_future(future<U>&& f, Convert&& convert) {
  return std::move(f).then(launch::sync, detail::conversion<R, std::decay_t<Convert>>{std::forward<Convert>(convert)});
}
/// The same of a shared one; `convert` gets a reference to the value.
template <class R, class U, class Convert>
[[nodiscard]] future<R> make_future(const shared_future<U>& f, Convert&& convert) {
  return f.then(launch::sync, detail::conversion<R, std::decay_t<Convert>>{std::forward<Convert>(convert)});
}

}  // namespace amity
