#pragma once

/// Coroutines: an amity::task<T> begins when it is awaited, and may await futures and other tasks.
///
///     amity::task<int> twice(amity::future<int> f) { co_return 2 * co_await std::move(f); }
///     int x = amity::sync_wait(twice(amity::async([] { return 21; })));
///
/// A coroutine may return a future or a shared_future as well: then it begins at once, in its caller, and each call of
/// another one lies on the stack as a plain call would.
///
///     amity::future<int> sum(int a) { co_return a + co_await amity::async(work); }
///
/// Awaiting a task, and returning from one, is a transfer: no stack grows however deep the recursion. Where the
/// compiler makes calls of transfers (gcc below -O2, sanitizers), they use up to half of the stack, and go on as tasks
/// then. Awaiting a future suspends; the rest is run as a task when the future is ready, perhaps by another thread, and
/// counts in the finish that it was in. A finish that is asked to stop begins no coroutines any more; those that have
/// begun go on.
/// What a task gives may have any alignment; a coroutine's own variables are the compiler's, and gcc aligns them to 16.

// clang-format off: first, because <coroutine> has words of its own for older compilers
#include "amity/base/language.hpp"
// clang-format on

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "amity/future/async.hpp"

namespace amity {

template <class T = void>
class task;

namespace detail {

/// Goes on with a coroutine.
struct resumption {
  static constexpr bool is_glue = true;
  std::coroutine_handle<> rest;
  void operator()() const { rest.resume(); }
};

/// `next` goes on as a task, and the stack returns to where the first of the coroutines on it was resumed.
[[nodiscard, gnu::cold, gnu::noinline]] inline std::coroutine_handle<> leave_stack(std::coroutine_handle<> next,
                                                                                   worker& w) noexcept {
  sched::task* t = nullptr;
  auto const error = caught([&] { t = &new_plain_task(w, w.current, resumption{next}); });
  if (error != nullptr) return next;  // no memory; half of the stack is left
  sched::spawn(*t, w);
  return std::noop_coroutine();
}

/// What a suspended coroutine gives when `next` is to go on. The compiler makes a jump of that, in which no stack
/// grows; but gcc only from -O2 on, and none does where a sanitizer watches. Then it is a call, and each one lies on
/// top of the one before. So where half of the stack is used, it is left.
[[nodiscard]] inline std::coroutine_handle<> transfer_to(std::coroutine_handle<> next) noexcept {
  worker& w = sched::this_worker();
  return sched::stack_is_low(w) ? leave_stack(next, w) : next;
}

struct final_transfer {
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <class Promise>
  [[nodiscard]] static std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) noexcept {
    return transfer_to(h.promise().awaiting);
  }
  static void await_resume() noexcept {}
};

/// The memory of a coroutine, which its caller's pool gives, as it gives that of tasks: `frame` and behind it what the
/// compiler asked for. The compiler knows the size, so the class is a constant.
struct coroutine_memory {
  static constexpr std::size_t header = 16;
  static_assert(header >= sizeof(sched::frame) && header % __STDCPP_DEFAULT_NEW_ALIGNMENT__ == 0);

  [[nodiscard, gnu::always_inline]] static unsigned class_of(std::size_t bytes) noexcept {
    return sched::class_for_task(bytes + header);
  }
  [[nodiscard, gnu::always_inline]] static void* take(std::size_t bytes) {
    unsigned const size_class = class_of(bytes);
    sched::frame* const f = size_class == sched::own_memory ? sched::take_large(bytes + header)
                                                            : sched::this_worker().pool.take(size_class);
    if (f == nullptr) [[unlikely]]
      throw_bad_alloc();
    return reinterpret_cast<std::byte*>(f) + header;
  }
  [[gnu::always_inline]] static void give(void* memory, std::size_t bytes) noexcept {
    auto* const f = reinterpret_cast<sched::frame*>(static_cast<std::byte*>(memory) - header);
    unsigned const size_class = class_of(bytes);
    if (size_class == sched::own_memory)
      sched::give_large(f);
    else if (worker* const w = sched::current_worker; w != nullptr) [[likely]]
      w->pool.give(f, size_class);
    else
      sched::frame_pool::give_home(f, size_class);
  }
};

/// Under AddressSanitizer each coroutine has memory of its own, so that it sees who uses one that is gone.
struct pooled_coroutine {
  [[nodiscard, gnu::always_inline]] static void* operator new(std::size_t bytes) {
    return base::address_sanitizer ? ::operator new(bytes) : coroutine_memory::take(bytes);
  }
  [[gnu::always_inline]] static void operator delete(void* memory, std::size_t bytes) noexcept {
    base::address_sanitizer ? ::operator delete(memory) : coroutine_memory::give(memory, bytes);
  }
};

struct task_promise_base : pooled_coroutine {
  std::coroutine_handle<> awaiting;
  std::exception_ptr error;
  [[nodiscard]] static std::suspend_always initial_suspend() noexcept { return {}; }
  [[nodiscard]] static final_transfer final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }
  void check() const {
    if (error != nullptr) std::rethrow_exception(error);
  }
};

/// As much of std::optional as is needed here, with the value in memory of its own.
template <class T>
class boxed_value {
 public:
  template <class U>
  void emplace(U&& x) {
    value_ = std::make_unique<T>(std::forward<U>(x));
  }
  [[nodiscard]] T& operator*() noexcept { return *value_; }

 private:
  std::unique_ptr<T> value_;
};

/// What a coroutine gives. Its memory is aligned for what needs no more than others do.
template <class T>
using coroutine_value =
    std::conditional_t<(alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__), boxed_value<T>, std::optional<T>>;

template <class T>
struct task_promise : task_promise_base {
  coroutine_value<T> value;
  [[nodiscard]] task<T> get_return_object() noexcept;
  template <class U = T>  // so that `co_return {1, 2}` makes a T
  void return_value(U&& x) {
    value.emplace(std::forward<U>(x));
  }
  T take() {
    check();
    return std::move(*value);
  }
};
template <class T>
struct task_promise<T&> : task_promise_base {
  T* value = nullptr;
  [[nodiscard]] task<T&> get_return_object() noexcept;
  void return_value(T& x) noexcept { value = std::addressof(x); }
  T& take() {
    check();
    return *value;
  }
};
template <>
struct task_promise<void> : task_promise_base {
  [[nodiscard]] task<void> get_return_object() noexcept;
  static void return_void() noexcept {}
  void take() const { check(); }
};

}  // namespace detail

/// A computation that has not begun. Move-only; awaited once.
template <class T>
class [[nodiscard]] task {
 public:
  /// For the compiler.
  using promise_type = detail::task_promise<T>;
  /// What awaiting it gives.
  using value_type = T;

  task() noexcept = default;
  /// For the compiler.
  explicit task(std::coroutine_handle<promise_type> h) noexcept : handle_(h) {}
  task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  task& operator=(task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~task() {
    if (handle_) handle_.destroy();
  }

  /// Begins it, and gives what it returns, or throws what it threw. Throws future_error, no_state, the second time.
  auto operator co_await() && {
    struct awaiter : ending {
      T await_resume() { return this->handle.promise().take(); }
    };
    return awaiter{checked()};
  }

  /// For code that builds on it: the same, but gives where the result is. A value that the expression gives lies in the
  /// frame of the awaiter, which compilers don't align as the value may want it.
  auto ended() & {
    struct awaiter : ending {
      [[nodiscard]] promise_type& await_resume() const noexcept { return this->handle.promise(); }
    };
    return awaiter{checked()};
  }

 private:
  struct ending {
    std::coroutine_handle<promise_type> handle;
    [[nodiscard]] static bool await_ready() noexcept { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<> h) noexcept {
      handle.promise().awaiting = h;
      return detail::transfer_to(handle);
    }
  };
  [[nodiscard]] ending checked() const {
    if (!handle_) detail::throw_future_error(future_errc::no_state);
    return {handle_};
  }

  std::coroutine_handle<promise_type> handle_;
};

namespace detail {

template <class T>
task<T> task_promise<T>::get_return_object() noexcept {
  return task<T>(std::coroutine_handle<task_promise>::from_promise(*this));
}
template <class T>
task<T&> task_promise<T&>::get_return_object() noexcept {
  return task<T&>(std::coroutine_handle<task_promise>::from_promise(*this));
}
inline task<void> task_promise<void>::get_return_object() noexcept {
  return task<void>(std::coroutine_handle<task_promise>::from_promise(*this));
}

/// Waits for a future. The task that will go on is made beforehand, so that the finish around waits for it.
template <class Handle>
struct future_awaiter : waiter {
  Handle source;
  state* rest = nullptr;

  explicit future_awaiter(Handle&& f) : source(std::move(f)) {}
  explicit future_awaiter(const Handle& f) : source(f) {}

  [[nodiscard]] bool await_ready() const {
    if (!source.valid()) throw_future_error(future_errc::no_state);
    begin_deferred(*source.state_or_null());
    return source.is_ready();
  }
  [[nodiscard]] bool await_suspend(std::coroutine_handle<> h) {
    worker& w = sched::this_worker();
    rest = &make_task<void, resumption>(w, resumption{h});
    rest->detached = true;
    ready = [](waiter& x) noexcept { sched::enqueue(*static_cast<future_awaiter&>(x).rest, sched::this_worker()); };
    state* const unused = rest;  // this object may be gone as soon as it is known
    if (add_waiter(*source.state_or_null(), *this)) return true;
    sched::end_within(unused->within, w);
    sched::give_task_memory(unused, unused->size_class, w);
    return false;
  }
  decltype(auto) await_resume() { return source.get(); }
};

/// Begun at once, and without an owner.
struct detached_coroutine {
  struct promise_type : pooled_coroutine {
    [[nodiscard]] static detached_coroutine get_return_object() noexcept { return {}; }
    [[nodiscard]] static std::suspend_never initial_suspend() noexcept { return {}; }
    [[nodiscard]] static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
  };
};

/// Of a coroutine that returns a future. Its body's objects are gone when that is ready, and so is the handler of what
/// it threw.
template <class Handle>
struct future_promise : task_promise<typename Handle::value_type> {
  using value_type = typename Handle::value_type;
  promise<value_type> result;
  [[nodiscard]] Handle get_return_object() { return result.get_future(); }
  [[nodiscard]] static std::suspend_never initial_suspend() noexcept { return {}; }
  [[nodiscard]] std::suspend_never final_suspend() noexcept {
    fulfil(result, [this]() -> value_type { return this->take(); });
    return {};
  }
};

template <class T>
detached_coroutine run_into(task<T> work, promise<T> result) {
  std::exception_ptr error;  // set when its handler has ended: caught.hpp
  try {
    auto& made = co_await work.ended();
    if constexpr (std::is_void_v<T>) {
      made.take();
      result.set_value();
    } else {
      result.set_value(made.take());
    }
  } catch (...) {
    error = std::current_exception();
  }
  if (error != nullptr) result.set_exception(std::move(error));
}

/// The task that begins a coroutine. If a finish that was asked to stop does not run it, the future says so.
template <class T>
class coroutine_begin {
 public:
  coroutine_begin(task<T> work, promise<T> result) : work_(std::move(work)), result_(std::move(result)) {}
  coroutine_begin(coroutine_begin&& other) noexcept
      : work_(std::move(other.work_)), result_(std::move(other.result_)), owed_(std::exchange(other.owed_, false)) {}
  ~coroutine_begin() {
    if (owed_) result_.set_exception(std::make_exception_ptr(future_error(future_errc::cancelled)));
  }
  void operator()() {
    owed_ = false;
    run_into(std::move(work_), std::move(result_));
  }

 private:
  task<T> work_;
  promise<T> result_;
  bool owed_ = true;
};

}  // namespace detail

/// Suspends until it is ready, and gives the value or throws the exception, as get().
template <class T>
auto operator co_await(future<T>&& f) {
  return detail::future_awaiter<future<T>>(std::move(f));
}
/// Of both, one after the other.
template <class T>
auto operator co_await(future<future<T>>&& f) {
  return detail::future_awaiter<future<T>>(future<T>(std::move(f)));
}
/// The same; a reference to the value.
template <class T>
auto operator co_await(const shared_future<T>& f) {
  return detail::future_awaiter<shared_future<T>>(f);
}

/// Begins it here, and gives a future of its result.
template <class T>
[[nodiscard]] future<T> start(task<T> work) {
  promise<T> p;
  future<T> result = p.get_future();
  detail::run_into(std::move(work), std::move(p));
  return result;
}

/// Begins it as a task, beside the caller, and gives a future of its result. It counts in the finish around; what it
/// throws goes to the future alone.
template <class T>
[[nodiscard]] future<T> async(task<T> work) {
  promise<T> p;
  future<T> result = p.get_future();
  post(detail::coroutine_begin<T>(std::move(work), std::move(p)));
  return result;
}

/// Runs it and waits for the result.
template <class T>
T sync_wait(task<T> work) {
  return start(std::move(work)).get();
}
/// get(), for code that does not know which of the two it has.
template <class T>
T sync_wait(future<T> f) {
  return f.get();
}

}  // namespace amity

/// Coroutines that return futures.
template <class T, class... Args>
struct std::coroutine_traits<amity::future<T>, Args...> {
  using promise_type = amity::detail::future_promise<amity::future<T>>;  ///< for the compiler
};
/// The same.
template <class T, class... Args>
struct std::coroutine_traits<amity::shared_future<T>, Args...> {
  using promise_type = amity::detail::future_promise<amity::shared_future<T>>;  ///< for the compiler
};
