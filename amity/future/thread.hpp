#pragma once

/// thread and jthread, as in std, of tasks: they cost what a task costs, there may be many thousands, and no more of
/// them run at once than there are cores.
///
///     amity::thread worker(serve, std::ref(queue));       // a task; serve may wait for locks, futures, the clock
///     worker.join();                                      // the fiber waits, never the core
///     amity::jthread ticker([](amity::stop_token stop) {
///       while (amity::this_task::sleep_for(1s, stop)) tick();
///     });                                                 // its destructor asks it to stop, and joins
///
/// Like a std::thread it belongs to its handle alone: no finish waits for it or stops it, and what it throws ends
/// the program. What it begins by async and post belongs to no finish either, unless it opens one. Joining one that has
/// not begun runs it here. `thread_local` variables are not its own: see docs/guide.md.
///
/// Memory ordering: what happened before its constructor happens before its function; what that did, before the return
/// of join().

#include <compare>
#include <cstdint>
#include <exception>
#include <functional>
#include <iosfwd>
#include <stop_token>
#include <system_error>
#include <type_traits>
#include <utility>

#include "amity/future/async.hpp"
#include "amity/sync/this_task.hpp"

namespace amity {

/// std's, for jthread and all that takes one: finish, this_task::sleep_for, condition_variable_any.
using std::nostopstate;
using std::nostopstate_t;
using std::stop_callback;
using std::stop_source;
using std::stop_token;

class thread;

namespace detail {

struct this_thread_id;

/// The calling thread's: that of the amity::thread which runs here, or one that belongs to the fiber.
[[nodiscard]] AMITY_API std::uint64_t this_thread_number() noexcept;
/// The number is another one from now on; 0: the fiber's own. Gives the one before.
AMITY_API std::uint64_t exchange_thread_number(std::uint64_t number) noexcept;
/// One that no thread has, or will have.
[[nodiscard]] AMITY_API std::uint64_t new_thread_number() noexcept;

/// Made here and not in the library, as future_category() is.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_thread_error(std::errc code, const char* call) {
  throw std::system_error(std::make_error_code(code), call);
}
/// Throws if there is nothing to join.
inline void expect_joinable(bool joinable, const char* call) {
  if (!joinable) throw_thread_error(std::errc::invalid_argument, call);
}

/// The function of a thread, with its number.
template <class Call>
struct thread_call {
  std::uint64_t number;
  Call call;

  template <class... Args>
  explicit thread_call(std::uint64_t n, Args&&... args) : number(n), call(std::forward<Args>(args)...) {}

  void operator()() noexcept {  // what it throws ends the program, as std's
    std::uint64_t const beneath = exchange_thread_number(number);
    static_cast<void>(std::move(call)());
    exchange_thread_number(beneath);
  }
};

/// A task that no finish waits for.
template <class Closure, class... Args>
[[nodiscard]] future<void> begin_apart(Args&&... args) {
  worker& w = sched::this_worker();
  sched::scope* const within = std::exchange(w.current, nullptr);
  state* s;
  try {
    s = &make_task<void, Closure>(w, std::forward<Args>(args)...);
  } catch (...) {
    w.current = within;
    throw;
  }
  w.current = within;
  sched::enqueue(*s, w);
  return future<void>(s);
}

template <class F, class... Args>
concept may_be_thread =
    !std::is_same_v<std::remove_cvref_t<F>, thread> && std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>;

}  // namespace detail

/// As std::thread, of a task.
class thread {
 public:
  /// Which thread: equal for equal threads, never used again, and ordered. As std::thread::id.
  class id {
   public:
    /// Of no thread.
    constexpr id() noexcept = default;
    /// In the order in which they were made.
    friend constexpr auto operator<=>(id, id) noexcept = default;
    /// Prints a number that is the thread's alone; 0 for none.
    template <class Char, class Traits>
    friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& to, id i) {
      return to << i.number_;
    }

   private:
    friend class thread;
    friend struct std::hash<id>;
    friend struct detail::this_thread_id;
    constexpr explicit id(std::uint64_t number) noexcept : number_(number) {}
    std::uint64_t number_ = 0;
  };

  /// No thread.
  thread() noexcept = default;
  /// Begins `f(args...)`, copies or moves of them, as a task. Throws std::bad_alloc, and what a copy throws.
  template <class F, class... Args>
  requires detail::may_be_thread<F, Args...>
  explicit thread(F&& f, Args&&... args) : number_(detail::new_thread_number()) {
    using closure = detail::thread_call<detail::closure_of<F, Args...>>;
    end_ = detail::begin_apart<closure>(number_, std::forward<F>(f), std::forward<Args>(args)...);
  }
  thread(thread&& other) noexcept : number_(std::exchange(other.number_, 0)), end_(std::move(other.end_)) {}
  /// Ends the program if this was neither joined nor detached.
  thread& operator=(thread&& other) noexcept {
    if (joinable()) std::terminate();
    swap(other);
    return *this;
  }
  /// Ends the program if it was neither joined nor detached.
  ~thread() {
    if (joinable()) std::terminate();
  }

  /// It is a thread, and was neither joined nor detached.
  [[nodiscard]] bool joinable() const noexcept { return end_.valid(); }
  /// Waits for its end; the fiber waits, never the core. Throws std::system_error: invalid_argument if it is not
  /// joinable, resource_deadlock_would_occur from within itself.
  void join() {
    detail::expect_joinable(joinable(), "amity::thread::join");
    if (number_ == detail::this_thread_number())
      detail::throw_thread_error(std::errc::resource_deadlock_would_occur, "amity::thread::join");
    end_.get();
    number_ = 0;
  }
  /// No thread will wait for it. Throws std::system_error, invalid_argument, if it is not joinable.
  void detach() {
    detail::expect_joinable(joinable(), "amity::thread::detach");
    end_ = {};
    number_ = 0;
  }
  /// Of the thread; id() if it is not joinable.
  [[nodiscard]] id get_id() const noexcept { return id(number_); }
  /// Exchanges threads.
  void swap(thread& other) noexcept {
    std::swap(number_, other.number_);
    std::swap(end_, other.end_);
  }

  /// How many run at once, at most: the cores that may be used, or AMITY_THREADS.
  [[nodiscard]] static unsigned hardware_concurrency() noexcept { return static_cast<unsigned>(worker_count()); }

 private:
  std::uint64_t number_ = 0;
  future<void> end_;
};

/// Exchanges threads.
inline void swap(thread& a, thread& b) noexcept { a.swap(b); }

/// As std::jthread: the destructor asks it to stop, and joins.
class jthread {
 public:
  /// As thread's.
  using id = thread::id;

  /// No thread, and nothing to ask.
  jthread() noexcept : stop_(std::nostopstate) {}
  /// Begins `f(stop_token, args...)`, or `f(args...)` if it takes no token. As thread's.
  template <class F, class... Args>
  requires(!std::is_same_v<std::remove_cvref_t<F>, jthread>) explicit jthread(F&& f, Args&&... args)
      : thread_(begin(stop_, std::forward<F>(f), std::forward<Args>(args)...)) {}
  jthread(jthread&&) noexcept = default;
  /// Asks the thread that this was to stop, and joins it.
  jthread& operator=(jthread&& other) noexcept {
    jthread(std::move(other)).swap(*this);
    return *this;
  }
  /// Asks it to stop, and joins.
  ~jthread() {
    if (!joinable()) return;
    request_stop();
    join();
  }

  /// As thread's.
  [[nodiscard]] bool joinable() const noexcept { return thread_.joinable(); }
  /// As thread's.
  void join() { thread_.join(); }
  /// As thread's. Only a copied stop_source can ask it to stop afterwards.
  void detach() { thread_.detach(); }
  /// As thread's.
  [[nodiscard]] id get_id() const noexcept { return thread_.get_id(); }
  /// Exchanges threads.
  void swap(jthread& other) noexcept {
    thread_.swap(other.thread_);
    stop_.swap(other.stop_);
  }
  /// Where it is asked to stop.
  [[nodiscard]] stop_source get_stop_source() noexcept { return stop_; }
  /// The token that its function was given.
  [[nodiscard]] stop_token get_stop_token() const noexcept { return stop_.get_token(); }
  /// Asks it to stop. False: it was asked already, or is no thread.
  bool request_stop() noexcept { return stop_.request_stop(); }

  /// As thread's.
  [[nodiscard]] static unsigned hardware_concurrency() noexcept { return thread::hardware_concurrency(); }

 private:
  template <class F, class... Args>
  [[nodiscard]] static thread begin(const stop_source& stop, F&& f, Args&&... args) {
    if constexpr (std::is_invocable_v<std::decay_t<F>, stop_token, std::decay_t<Args>...>) {
      return thread(std::forward<F>(f), stop.get_token(), std::forward<Args>(args)...);
    } else {
      static_assert(std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>,
                    "jthread(f, args...): f can be called neither with a stop_token and the arguments, nor with these");
      return thread(std::forward<F>(f), std::forward<Args>(args)...);
    }
  }

  stop_source stop_;
  thread thread_;
};

/// Exchanges threads.
inline void swap(jthread& a, jthread& b) noexcept { a.swap(b); }

/// For this_thread::get_id().
struct detail::this_thread_id {
  [[nodiscard]] static thread::id get() noexcept { return thread::id(detail::this_thread_number()); }
};

}  // namespace amity

/// By the thread's number.
template <>
struct std::hash<amity::thread::id> {
  /// Of the number.
  [[nodiscard]] std::size_t operator()(amity::thread::id i) const noexcept {
    return std::hash<std::uint64_t>()(i.number_);
  }
};

/// std::this_thread's names, for whatever calls: an amity::thread, another task, an OpenMP thread, a plain thread.
namespace amity::this_thread {

using this_task::sleep_for;
using this_task::sleep_until;
using this_task::yield;

/// Of the amity::thread that calls. Anything else has that of the fiber on which it runs, which is a thread's own, and
/// one that tasks share; tasks that are run where a thread waits for them have the thread's.
[[nodiscard]] inline thread::id get_id() noexcept { return detail::this_thread_id::get(); }

/// HPX's name for yield().
inline void suspend() noexcept { yield(); }
/// HPX's name for sleep_for().
template <class Rep, class Period>
void suspend(const std::chrono::duration<Rep, Period>& time) noexcept {
  sleep_for(time);
}
/// HPX's name for sleep_until().
template <class Clock, class Duration>
void suspend(const std::chrono::time_point<Clock, Duration>& time) noexcept {
  sleep_until(time);
}

}  // namespace amity::this_thread
