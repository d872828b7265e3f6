#include "amity/future/future.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "amity/future/async.hpp"
#include "amity/future/packaged_task.hpp"
#include "amity/sync/this_task.hpp"

namespace amity {
namespace {

std::error_code code_of(auto&& f) {
  try {
    f();
  } catch (const future_error& e) {
    EXPECT_NE(std::string(e.what()).find("amity: "), std::string::npos);
    return e.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(future, misuse_has_names) {
  promise<int> p;
  future<int> f = p.get_future();
  EXPECT_EQ(code_of([&] { static_cast<void>(p.get_future()); }), future_errc::future_already_retrieved);
  p.set_value(1);
  EXPECT_EQ(code_of([&] { p.set_value(2); }), future_errc::promise_already_satisfied);
  EXPECT_EQ(f.get(), 1);
  EXPECT_EQ(code_of([&] { f.get(); }), future_errc::no_state);
  future<void> broken;
  { broken = promise<void>().get_future(); }
  EXPECT_EQ(code_of([&] { broken.get(); }), future_errc::broken_promise);
}

TEST(future, misuse_has_stds_codes) {
  promise<int> p;
  future<int> f = p.get_future();
  p.set_value(1);
  f.get();
  std::error_code const twice = code_of([&] { static_cast<void>(p.get_future()); });
  EXPECT_EQ(twice, std::future_errc::future_already_retrieved);
  EXPECT_EQ(twice, make_error_code(future_errc::future_already_retrieved));
  EXPECT_EQ(twice, make_error_condition(future_errc::future_already_retrieved));
  EXPECT_NE(twice, std::future_errc::no_state);
  EXPECT_NE(twice, future_errc::cancelled);
  EXPECT_EQ(&twice.category(), &std::future_category());
  EXPECT_EQ(code_of([&] { p.set_value(2); }), std::future_errc::promise_already_satisfied);
  EXPECT_EQ(code_of([&] { f.get(); }), std::future_errc::no_state);
  future<void> broken = promise<void>().get_future();
  EXPECT_EQ(code_of([&] { broken.get(); }), std::future_errc::broken_promise);

  std::error_code const cancelled = future_error(future_errc::cancelled).code();
  EXPECT_EQ(cancelled, future_errc::cancelled);
  EXPECT_EQ(cancelled, std::errc::operation_canceled);
  EXPECT_NE(cancelled, std::future_errc::broken_promise);
  EXPECT_EQ(&cancelled.category(), &future_category());
  EXPECT_EQ(cancelled.message(), describe(future_errc::cancelled));
  EXPECT_TRUE(static_cast<bool>(code_of([&] { f.get(); })));
}

TEST(future, shared_ones_give_the_value_to_all) {
  promise<std::string> p;
  shared_future<std::string> a = p.get_future().share();
  shared_future<std::string> const b = a;
  p.set_value("x");
  EXPECT_EQ(a.get(), "x");
  EXPECT_EQ(&b.get(), &a.get());
  EXPECT_EQ(b.then([](shared_future<std::string> s) { return s.get() + "y"; }).get(), "xy");
}

TEST(future, then_is_called_when_it_is_ready) {
  promise<int> p;
  auto chain = p.get_future().then([](future<int> f) { return f.get() + 1; }).then(launch::sync, [](future<int> f) {
    return std::to_string(f.get());
  });
  EXPECT_FALSE(chain.is_ready());
  p.set_value(41);
  EXPECT_EQ(chain.get(), "42");
}

TEST(future, long_chains_need_no_stack) {
  promise<int> p;
  future<int> f = p.get_future();
  int const links = base::thread_sanitizer ? 3'000 : 100'000;
  for (int i = 0; i < links; ++i) f = f.then(launch::sync, [](future<int> g) { return g.get() + 1; });
  p.set_value(0);
  EXPECT_EQ(f.get(), links);
}

TEST(future, exceptions_pass_through_then) {
  auto f = make_exceptional_future<int>(std::string("bad")).then([](future<int> g) { return g.get(); });
  EXPECT_THROW(f.get(), std::string);
}

TEST(future, an_exception_can_be_had_without_throwing_it) {
  promise<int> p;
  shared_future<int> const f = p.get_future().share();
  auto waited = async([f] { return f.get_exception_ptr() != nullptr; });
  p.set_exception(std::make_exception_ptr(std::logic_error("no")));
  EXPECT_TRUE(waited.get());
  EXPECT_THROW(std::rethrow_exception(f.get_exception_ptr()), std::logic_error);
  EXPECT_THROW(static_cast<void>(f.get()), std::logic_error);
  future<int> value = make_ready_future(1);
  EXPECT_EQ(value.get_exception_ptr(), nullptr);
  EXPECT_EQ(value.get(), 1);
  EXPECT_THROW(static_cast<void>(value.get_exception_ptr()), future_error);
}

TEST(future, a_future_of_a_future_is_unwrapped) {
  promise<future<int>> outer;
  promise<int> inner;
  future<int> f(outer.get_future());
  outer.set_value(inner.get_future());
  EXPECT_FALSE(f.is_ready());
  inner.set_value(3);
  EXPECT_EQ(f.get(), 3);
  EXPECT_THROW(future<int>(make_exceptional_future<future<int>>(5)).get(), int);
}

TEST(future, a_continuation_that_gives_a_future_is_unwrapped) {
  auto f = async([] { return 1; }).then([](future<int> g) { return async([x = g.get()] { return x + 1; }); });
  static_assert(std::is_same_v<decltype(f), future<int>>);
  auto s = f.then(launch::sync, [](future<int> g) { return g.share(); }).share();
  auto twice = s.then(launch::deferred, [](shared_future<int> g) { return make_ready_future(2 * g.get()); });
  static_assert(std::is_same_v<decltype(twice), future<int>>);
  EXPECT_EQ(twice.get(), 4);
  future<int> implicit = async([] { return async([] { return 5; }); });
  EXPECT_EQ(implicit.get(), 5);
  EXPECT_THROW(make_ready_future().then([](future<void>) { return make_exceptional_future<int>(1); }).get(), int);
  EXPECT_THROW(make_ready_future().then([](future<void>) { return future<int>(); }).get(), future_error);
}

TEST(future, a_value_is_dropped_where_nothing_is_wanted) {
  promise<std::string> p;
  future<void> done = p.get_future();
  EXPECT_FALSE(done.is_ready());
  p.set_value("x");
  EXPECT_TRUE(done.is_ready());
  done.get();
  shared_future<int> const number = async([] { return 1; }).share();
  shared_future<void> const ready = number;
  ready.get();
  EXPECT_EQ(number.get(), 1);
  future<void> wrong = make_exceptional_future<int>(1);
  EXPECT_THROW(wrong.get(), int);
  static_assert(!std::is_convertible_v<future<int>, future<long>>);
}

TEST(future, packaged_tasks_put_their_result) {
  packaged_task<int(int)> t([p = std::make_unique<int>(2)](int x) { return x * *p; });
  auto f = t.get_future();
  t(21);
  EXPECT_EQ(f.get(), 42);
  EXPECT_EQ(code_of([&] { t(1); }), future_errc::promise_already_satisfied);
  t.reset();
  f = t.get_future();
  t(4);
  EXPECT_EQ(f.get(), 8);
}

TEST(future, a_timed_wait_ends_with_the_value_or_the_time) {
  using namespace std::chrono_literals;
  promise<int> p;
  future<int> f = p.get_future();
  EXPECT_EQ(f.wait_for(1ms), future_status::timeout);
  EXPECT_EQ(f.wait_until(std::chrono::system_clock::now() - 1s), future_status::timeout);
  shared_future<int> const shared = f.share();
  EXPECT_EQ(shared.wait_for(0ms), future_status::timeout);
  std::thread maker([&] { p.set_value(3); });
  EXPECT_EQ(shared.wait_for(1h), future_status::ready);
  EXPECT_EQ(shared.wait_until(std::chrono::steady_clock::now()), future_status::ready);
  EXPECT_EQ(shared.get(), 3);
  maker.join();
  EXPECT_EQ(code_of([] { future<int>().wait_for(1ms); }), future_errc::no_state);
}

TEST(future, timed_waits_race_with_the_value) {
  for (int round = 0; round < 400; ++round) {
    promise<int> p;
    shared_future<int> const f = p.get_future().share();
    std::vector<std::thread> all;
    for (int i = 0; i < 3; ++i)
      all.emplace_back([f, i, round] {
        while (f.wait_for(std::chrono::microseconds((round * 7 + i * 13) % 50)) != future_status::ready) {
        }
        EXPECT_EQ(f.get(), round);
      });
    p.set_value(round);
    for (auto& one : all) one.join();
  }
}

// A record of each wait would stay with the state until it is complete.
TEST(future, waiting_again_and_again_costs_no_memory) {
  promise<void> p;
  future<void> const f = p.get_future();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(f.wait_for(std::chrono::microseconds(1)), future_status::timeout);
  int waiters = 0;
  for (auto* w = f.state_or_null()->waiters.load(); w != nullptr; w = w->next) ++waiters;
  EXPECT_EQ(waiters, 1);
}

TEST(future, ready_ones) {
  EXPECT_EQ(make_ready_future(2).get(), 2);
  make_ready_future().get();
}

TEST(future, deferred_continuations_wait_for_who_waits) {
  int ran = 0;
  promise<int> p;
  auto f = p.get_future().then(launch::deferred, [&](future<int> x) { return ++ran + x.get(); });
  EXPECT_EQ(f.wait_for(std::chrono::seconds(0)), std::future_status::deferred);
  p.set_value(40);
  EXPECT_EQ(ran, 0);
  auto g = f.then(launch::deferred, [&](future<int> x) { return ++ran + x.get(); }).share();
  EXPECT_EQ(g.wait_for(std::chrono::seconds(0)), std::future_status::deferred);
  EXPECT_EQ(g.get(), 43);
  EXPECT_EQ(g.get(), 43);
  EXPECT_EQ(ran, 2);
  EXPECT_THROW(g.then(launch::deferred, [](auto) { throw 1; }).get(), int);
  EXPECT_THROW(future<int>().then(launch::deferred, [](auto) {}), future_error);
}

TEST(future, deferred_continuations_that_nobody_waits_for_are_destroyed) {
  auto alive = std::make_shared<int>(1);
  static_cast<void>(make_ready_future(1).then(launch::deferred, [alive](auto) { ADD_FAILURE(); }));
  EXPECT_EQ(alive.use_count(), 1);
}

// Which took a frame of the stack for each, to begin them and to throw them away.
TEST(future, long_chains_of_deferred_continuations) {
  // ThreadSanitizer keeps a copy of the stack with each atomic that is new: no deep ones there.
  constexpr int length = base::thread_sanitizer ? 500 : base::address_sanitizer ? 20'000 : 200'000;
  auto const chain_after = [](future<int> f) {
    for (int i = 0; i < length; ++i) f = f.then(launch::deferred, [](future<int> x) { return x.get() + 1; });
    return f;
  };
  EXPECT_EQ(chain_after(make_ready_future(0)).get(), length);
  promise<int> p;
  auto follows = chain_after(p.get_future()).then([](future<int> x) { return x.get(); });
  p.set_value(1);
  EXPECT_EQ(follows.get(), length + 1);
  auto alive = std::make_shared<int>(0);
  {
    auto const unwanted = chain_after(async(launch::deferred, [alive] { return *alive; }));
  }
  while (alive.use_count() != 1) this_task::yield();  // the far end is thrown away by another stack
}

TEST(future, deferred_continuations_begin_when_something_follows) {
  promise<int> p;
  auto f = p.get_future().then(launch::deferred, [](future<int> x) { return x.get() + 1; });
  auto g = std::move(f).then([](future<int> x) { return x.get() + 1; });
  p.set_value(1);  // the second then() did not wait for it
  EXPECT_EQ(g.get(), 3);
}

TEST(future, deferred_continuations_of_many_who_wait_run_once) {
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> ran{0};
    auto f = async([] { return 1; }).then(launch::deferred, [&](future<int> x) { return ++ran + x.get(); }).share();
    std::vector<future<int>> readers;
    for (int i = 0; i < 4; ++i) readers.push_back(async([f] { return f.get(); }));
    for (auto& r : readers) EXPECT_EQ(r.get(), 2);
    EXPECT_EQ(ran, 1);
  }
}

/// Its address is not to be had by &.
struct without_address {
  int x = 0;
  void operator&() const = delete;
};

TEST(future, values_without_address) {
  promise<without_address> p;
  p.set_value({1});
  EXPECT_EQ(p.get_future().then([](auto f) { return without_address{f.get().x + 1}; }).get().x, 2);
  auto shared = make_ready_future(without_address{3}).share();
  EXPECT_EQ(shared.get().x, 3);
}

TEST(future, ready_ones_of_what_is_made_in_place) {
  int x = 1;
  EXPECT_EQ((make_ready_future<std::string>(3, 'a').get()), "aaa");
  EXPECT_EQ(make_ready_future<int>(x).get(), 1);
  EXPECT_EQ(make_ready_future(x).get(), 1);
  EXPECT_EQ(&make_ready_future(std::ref(x)).get(), &x);
  EXPECT_EQ(&make_ready_future<int&>(x).get(), &x);
  make_ready_future<void>().get();
}

TEST(future, promises_are_swapped) {
  promise<int> a, b;
  auto f = a.get_future();
  a.set_value(1);
  a.swap(b);
  EXPECT_EQ(code_of([&] { b.set_value(2); }), future_errc::promise_already_satisfied);
  a.set_value(3);
  EXPECT_EQ(f.get() + a.get_future().get(), 4);
}

int twice(int x) { return 2 * x; }

TEST(future, promises_and_packaged_tasks_are_swapped) {
  promise<int> a, b;
  auto fa = a.get_future(), fb = b.get_future();
  swap(a, b);
  a.set_value(1);
  b.set_value(2);
  EXPECT_EQ(fa.get() * 10 + fb.get(), 21);
  packaged_task<int()> s([] { return 1; }), t([] { return 2; });
  auto fs = s.get_future();
  swap(s, t);
  t();
  EXPECT_EQ(fs.get(), 1);
}

TEST(future, packaged_tasks_of_nothing_drop_what_their_function_gives) {
  int calls = 0;
  packaged_task<void(int)> t([&](int x) { return calls += x; });
  auto done = t.get_future();
  t(2);
  done.get();
  EXPECT_EQ(calls, 2);
}

TEST(future, packaged_tasks_know_their_signature) {
  packaged_task doubled(twice);
  packaged_task held([p = std::make_unique<int>(3)](int x) mutable noexcept { return x + *p; });
  packaged_task<int(int)> empty;
  empty.swap(doubled);
  EXPECT_FALSE(doubled.valid());
  doubled.swap(empty);
  auto a = doubled.get_future();
  auto b = held.get_future();
  doubled(1);
  held(1);
  EXPECT_EQ(a.get() + b.get(), 6);
}

TEST(future, launch_either) {
  launch either = launch::async;
  either |= launch::deferred;
  EXPECT_EQ(either, launch::async | launch::deferred);
  EXPECT_EQ(either & launch::async, launch::async);
  EXPECT_EQ(either & launch::sync, launch{});
  EXPECT_EQ(either ^ launch::async, launch::deferred);
  EXPECT_EQ(~either, launch::sync);
  EXPECT_EQ(either &= ~launch::deferred, launch::async);
  EXPECT_EQ(either ^= launch::async, launch{});
  auto f = async(launch::deferred | launch::async, [] { return 1; });
  EXPECT_NE(f.wait_for(std::chrono::seconds(0)), future_status::deferred);
  EXPECT_EQ(f.get(), 1);
  EXPECT_EQ(async(launch{}, [] { return 1; }).get(), 1);
  auto g = async(launch::deferred | launch::sync, [] { return 1; });
  EXPECT_TRUE(g.is_ready());
}

TEST(make_future, of_values) {
  make_future().get();
  EXPECT_EQ(make_future(42).get(), 42);
  std::string text = "text";
  EXPECT_EQ(make_future(text).get(), "text");
  int x = 1;
  make_future(std::ref(x)).get() = 2;
  EXPECT_EQ(x, 2);
  auto several = make_future(1, std::make_unique<int>(2), std::string("three"));
  auto [one, two, three] = several.get();
  EXPECT_EQ(one + *two, 3);
  EXPECT_EQ(three, "three");
  EXPECT_EQ(make_future(make_ready_future(5)).get(), 5);
}

template <class R, class U>
concept made_of = requires(future<U> f) {
  make_future<R>(std::move(f));
};

TEST(make_future, of_another_future) {
  promise<int> p;
  future<long> wide = make_future<long>(p.get_future());
  EXPECT_FALSE(wide.is_ready());
  p.set_value(42);
  EXPECT_EQ(wide.get(), 42L);
  make_future<void>(make_ready_future(1)).get();
  EXPECT_EQ(make_future<int>(make_ready_future(7)).get(), 7);
  shared_future<int> shared = make_ready_future(3).share();
  EXPECT_EQ(make_future<double>(shared).get(), 3.0);
  EXPECT_EQ(make_future<int>(shared).get(), 3);
  make_future<void>(shared).get();
  EXPECT_EQ(shared.get(), 3);
  static_assert(made_of<long, int> && !made_of<std::string, int> && !made_of<int, void>);
}

TEST(make_future, by_a_function) {
  auto print = [](int n) { return std::to_string(n); };
  EXPECT_EQ(make_future<std::string>(make_ready_future(42), print).get(), "42");
  EXPECT_EQ(make_future<std::string>(make_ready_future(43).share(), print).get(), "43");
  EXPECT_EQ(make_future<int>(make_ready_future(), [] { return 1; }).get(), 1);
  int seen = 0;
  make_future<void>(make_ready_future(9), [&](int n) { return seen = n; }).get();
  EXPECT_EQ(seen, 9);
}

TEST(make_future, passes_errors_on) {
  auto failed = [] { return make_exceptional_future<int>(std::runtime_error("failed")); };
  EXPECT_THROW(make_future<long>(failed()).get(), std::runtime_error);
  EXPECT_THROW(make_future<void>(failed()).get(), std::runtime_error);
  EXPECT_THROW(make_future<long>(failed(), [](int n) { return n; }).get(), std::runtime_error);
  EXPECT_THROW(static_cast<void>(make_future<long>(future<int>())), future_error);
  EXPECT_THROW(static_cast<void>(make_future<int>(future<int>())), future_error);
}

}  // namespace
}  // namespace amity
