#include "amity/future/execution/with_awaitable_senders.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "amity/future/async.hpp"
#include "amity/future/senders.hpp"

namespace amity {
namespace {

namespace ex = execution;

/// A coroutine that begins when it is awaited or run, and keeps what it gives.
template <class T>
class lazy {
 public:
  struct promise_type : ex::with_awaitable_senders<promise_type> {
    std::optional<T> value;
    std::exception_ptr error;
    bool stopped = false;
    lazy get_return_object() { return lazy(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct back {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
          auto const next = h.promise().continuation();
          return next ? next : std::noop_coroutine();
        }
        void await_resume() noexcept {}
      };
      return back{};
    }
    void return_value(T v) { value = std::move(v); }
    void unhandled_exception() { error = std::current_exception(); }
    /// The outermost one notes it; an inner one hands it on.
    std::coroutine_handle<> unhandled_stopped() noexcept {
      stopped = true;
      if (this->continuation()) return ex::with_awaitable_senders<promise_type>::unhandled_stopped();
      return std::noop_coroutine();
    }
  };

  explicit lazy(std::coroutine_handle<promise_type> h) : h_(h) {}
  lazy(lazy&& o) noexcept : h_(std::exchange(o.h_, {})) {}
  ~lazy() {
    if (h_) h_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  template <class Outer>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Outer> outer) noexcept {
    h_.promise().set_continuation(outer);
    return h_;
  }
  T await_resume() { return result(); }

  void run() { h_.resume(); }
  bool stopped() const { return h_.promise().stopped; }
  bool done() const { return h_.done(); }
  T result() {
    if (h_.promise().error) std::rethrow_exception(h_.promise().error);
    return std::move(*h_.promise().value);
  }

 private:
  std::coroutine_handle<promise_type> h_;
};

lazy<int> sum() {
  int const a = co_await ex::just(40);
  auto const [b, c] = co_await ex::just(1, 1);
  co_await ex::just();
  co_return a + b + c;
}

TEST(with_awaitable_senders, gives_the_senders_values) {
  auto f = sum();
  f.run();
  EXPECT_TRUE(f.done());
  EXPECT_EQ(f.result(), 42);
}

lazy<std::string> caught() {
  try {
    co_await ex::just_error(std::make_exception_ptr(std::runtime_error("odd")));
  } catch (const std::runtime_error& e) {
    co_return e.what();
  }
  co_return "nothing";
}

TEST(with_awaitable_senders, throws_the_senders_error) {
  auto f = caught();
  f.run();
  EXPECT_EQ(f.result(), "odd");
}

lazy<int> stopped_within() {
  co_await ex::just_stopped();
  co_return 1;
}
lazy<int> around(bool& went_on) {
  int const x = co_await stopped_within();
  went_on = true;
  co_return x;
}

TEST(with_awaitable_senders, a_stopped_sender_unwinds_the_coroutines_around) {
  bool went_on = false;
  auto f = around(went_on);
  f.run();
  EXPECT_FALSE(f.done());
  EXPECT_TRUE(f.stopped());
  EXPECT_FALSE(went_on);
}

lazy<int> nested() { co_return co_await sum() + 1; }

TEST(with_awaitable_senders, other_awaitables_stay_as_they_are) {
  auto f = nested();
  f.run();
  EXPECT_EQ(f.result(), 43);
}

lazy<int> elsewhere(ex::run_loop& loop) {
  co_return co_await (ex::schedule(loop.get_scheduler()) | ex::then([] { return 7; }));
}

TEST(with_awaitable_senders, goes_on_where_the_sender_ends) {
  ex::run_loop loop;
  auto f = elsewhere(loop);
  f.run();
  EXPECT_FALSE(f.done());
  loop.finish();
  loop.run();
  EXPECT_TRUE(f.done());
  EXPECT_EQ(f.result(), 7);
}

}  // namespace
}  // namespace amity
