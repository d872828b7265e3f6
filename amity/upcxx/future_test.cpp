#include "amity/upcxx/future.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

namespace {

using upcxx::future;
using upcxx::make_future;
using upcxx::promise;
using upcxx::when_all;

static_assert(std::is_same_v<decltype(std::declval<future<int>>().wait()), int>);
static_assert(std::is_same_v<decltype(std::declval<future<>>().wait()), void>);
static_assert(std::is_same_v<decltype(std::declval<future<int, double>>().wait()), std::tuple<int, double>>);
static_assert(std::is_same_v<decltype(std::declval<future<int, double>>().wait<1>()), double>);
static_assert(std::is_same_v<decltype(std::declval<future<int&>>().result()), int&>);
static_assert(std::is_same_v<decltype(std::declval<future<int>>().result_reference()), const int&>);

TEST(upcxx_future, values_and_functions_come_in_order) {
  promise<int> p;
  std::string order;
  future<int> const f = p.get_future();
  f.then([&](int x) { order += std::to_string(x) + 'a'; });
  f.then([&](int x) { order += std::to_string(x) + 'b'; });
  EXPECT_FALSE(f.ready());
  p.fulfill_result(7);
  EXPECT_TRUE(f.ready());
  EXPECT_EQ(order, "7a7b");
  f.then([&](int) { order += 'c'; });  // at once
  EXPECT_EQ(order, "7a7bc");
}

TEST(upcxx_future, a_function_that_gives_a_future_is_awaited) {
  promise<int> first;
  promise<std::string> second;
  future<std::string> const f = first.get_future().then([&](int) { return second.get_future(); });
  first.fulfill_result(1);
  EXPECT_FALSE(f.ready());
  second.fulfill_result("there");
  EXPECT_EQ(f.result(), "there");
}

TEST(upcxx_future, when_all_joins_futures_and_values) {
  promise<int> p;
  promise<> nothing;
  auto f = when_all(p.get_future(), 2.5, nothing.get_future(), when_all(make_future(1, std::string("x"))));
  static_assert(std::is_same_v<decltype(f), future<int, double, int, std::string>>);
  p.fulfill_result(4);
  EXPECT_FALSE(f.ready());
  nothing.finalize();
  EXPECT_EQ(f.result_tuple(), std::make_tuple(4, 2.5, 1, std::string("x")));
}

TEST(upcxx_future, a_promise_counts) {
  promise<int> p;
  p.require_anonymous(2);
  p.fulfill_result(9);
  p.fulfill_anonymous(1);
  EXPECT_FALSE(p.get_future().ready());
  p.fulfill_anonymous(1);
  EXPECT_EQ(p.get_future().result(), 9);

  promise<> q(3);
  q.fulfill_anonymous(2);
  EXPECT_FALSE(q.get_future().ready());
  EXPECT_TRUE(q.finalize().ready());
}

TEST(upcxx_future, what_waits_for_nothing_is_freed) {
  auto const kept = std::make_shared<int>(0);
  {
    promise<int> p;
    p.get_future().then([kept](int) {});
    EXPECT_EQ(kept.use_count(), 2);
  }
  EXPECT_EQ(kept.use_count(), 1);
}

TEST(upcxx_future, values_that_only_move) {
  promise<std::unique_ptr<int>> p;
  future<int> const f = p.get_future().then([](const std::unique_ptr<int>& x) { return make_future(*x); });
  p.fulfill_result(std::make_unique<int>(5));
  EXPECT_EQ(f.wait(), 5);
}

// Handlers run within progress() of the thread that holds the persona, one at a time; results come back to the
// caller's.
TEST(upcxx_persona, calls_go_to_its_holder_and_back) {
  upcxx::persona worker;
  std::atomic<bool> stop{false};
  std::atomic<int> inside{0};
  std::thread t([&] {
    upcxx::persona_scope const scope(worker);
    while (!stop.load(std::memory_order_acquire)) upcxx::progress();  // pairs with the store below
  });
  std::thread::id const its = t.get_id();
  int sum = 0;
  future<> all = make_future();
  for (int i = 0; i < 200; ++i)
    all = when_all(all, worker
                            .lpc([&inside, i] {
                              EXPECT_EQ(inside.fetch_add(1, std::memory_order_relaxed), 0);
                              inside.fetch_sub(1, std::memory_order_relaxed);
                              return std::make_pair(i, std::this_thread::get_id());
                            })
                            .then([&](std::pair<int, std::thread::id> got) {
                              EXPECT_EQ(got.second, its);
                              EXPECT_NE(std::this_thread::get_id(), its);
                              sum += got.first;
                            }));
  all.wait();
  EXPECT_EQ(sum, 199 * 100);
  stop.store(true, std::memory_order_release);
  t.join();
}

TEST(upcxx_persona, goes_from_thread_to_thread) {
  upcxx::persona p;
  int runs = 0;
  for (int i = 0; i < 20; ++i) {
    p.lpc_ff([&runs] { ++runs; });
    std::thread([&] {
      upcxx::persona_scope const scope(p);
      upcxx::persona& own = upcxx::default_persona();
      promise<> done;
      p.lpc_ff([&] { own.lpc_ff([&] { done.finalize(); }); });
      done.get_future().wait();
    }).join();
    EXPECT_FALSE(p.active());
  }
  EXPECT_EQ(runs, 20);
}

TEST(upcxx_persona, a_waiting_thread_is_woken) {
  for (int i = 0; i < 50; ++i) {
    promise<int> p;
    upcxx::persona& here = upcxx::default_persona();
    std::thread t([&] { here.lpc_ff([&] { p.fulfill_result(i); }); });
    EXPECT_EQ(p.get_future().wait(), i);
    t.join();
  }
}

TEST(upcxx_persona, progress_within_progress_does_nothing) {
  upcxx::persona& here = upcxx::default_persona();
  std::string order;
  here.lpc_ff([&] {
    here.lpc_ff([&] { order += 'b'; });
    upcxx::progress();
    EXPECT_TRUE(upcxx::in_progress());
    order += 'a';
  });
  while (order.size() < 2) upcxx::progress();
  EXPECT_EQ(order, "ab");
  EXPECT_FALSE(upcxx::in_progress());
}

}  // namespace
