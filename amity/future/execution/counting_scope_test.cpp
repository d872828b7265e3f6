#include "amity/future/execution/counting_scope.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>

#include "amity/future/senders.hpp"
#include "amity/sync/latch.hpp"
#include "amity/sync/this_task.hpp"

namespace amity {
namespace {

namespace ex = execution;

static_assert(ex::scope_token<ex::simple_counting_scope::token>);
static_assert(ex::scope_token<ex::counting_scope::token>);

auto on_tasks() { return ex::schedule(amity::get_scheduler()); }

using both_scopes = testing::Types<ex::simple_counting_scope, ex::counting_scope>;
template <class Scope>
class scopes : public testing::Test {};
TYPED_TEST_SUITE(scopes, both_scopes);

TYPED_TEST(scopes, all_has_ended_when_it_is_joined) {
  TypeParam scope;
  std::atomic<int> ended{0};
  for (int i = 0; i < 1000; ++i) ex::spawn(on_tasks() | ex::then([&]() noexcept { ++ended; }), scope.get_token());
  EXPECT_TRUE(ex::sync_wait(scope.join()).has_value());
  EXPECT_EQ(ended.load(), 1000);
  ex::spawn(on_tasks() | ex::then([&]() noexcept { ++ended; }), scope.get_token());  // it takes no more
  EXPECT_FALSE(ex::sync_wait(ex::associate(ex::just(1), scope.get_token())).has_value());
  EXPECT_TRUE(ex::sync_wait(scope.join()).has_value());  // again
  EXPECT_EQ(ended.load(), 1000);
}

TYPED_TEST(scopes, unused_ones_need_no_join) {
  TypeParam unused, closed;
  closed.close();
  EXPECT_FALSE(static_cast<bool>(closed.get_token().try_associate()));
  TypeParam joined;
  EXPECT_TRUE(ex::sync_wait(joined.join()).has_value());
  EXPECT_FALSE(static_cast<bool>(joined.get_token().try_associate()));
}

TYPED_TEST(scopes, what_is_in_a_closed_one_goes_on) {
  TypeParam scope;
  sync::latch open(1);
  std::atomic<int> ended{0};
  ex::spawn(on_tasks() | ex::then([&]() noexcept {
              open.wait();
              ++ended;
            }),
            scope.get_token());
  scope.close();
  ex::spawn(ex::just() | ex::then([&]() noexcept { ended += 100; }), scope.get_token());
  auto joined = ex::as_future(scope.join());
  auto also = ex::as_future(scope.join());
  EXPECT_FALSE(joined.is_ready());
  open.count_down();
  joined.get();
  also.get();
  EXPECT_EQ(ended.load(), 1);
}

TYPED_TEST(scopes, work_may_begin_more_while_it_is_joined) {
  TypeParam scope;
  std::atomic<int> ended{0};
  struct tree {
    static void grow(TypeParam& in, std::atomic<int>& count, int depth) noexcept {
      ++count;
      for (int i = 0; i < 2 && depth > 0; ++i)
        ex::spawn(on_tasks() | ex::then([&in, &count, depth]() noexcept { grow(in, count, depth - 1); }),
                  in.get_token());
    }
  };
  ex::spawn(on_tasks() | ex::then([&]() noexcept { tree::grow(scope, ended, 9); }), scope.get_token());
  EXPECT_TRUE(ex::sync_wait(scope.join()).has_value());
  EXPECT_EQ(ended.load(), 1023);
}

TYPED_TEST(scopes, values_and_errors_pass_through) {
  TypeParam scope;
  auto const token = scope.get_token();
  EXPECT_EQ(std::get<0>(*ex::sync_wait(ex::just(42) | ex::associate(token))), 42);
  EXPECT_THROW(static_cast<void>(ex::sync_wait(
                   ex::associate(ex::just() | ex::then([]() -> int { throw std::runtime_error("x"); }), token))),
               std::runtime_error);
  auto later = ex::spawn_future(on_tasks() | ex::then([] { return 7; }), token);
  EXPECT_EQ(std::get<0>(*ex::sync_wait(std::move(later))), 7);
  {
    auto unconnected = ex::associate(ex::just(), token);
    auto copy = unconnected;
    EXPECT_TRUE(copy.in);
  }
  EXPECT_TRUE(ex::sync_wait(scope.join()).has_value());
}

/// Ends when it is asked to stop, and not before.
auto until_stopped(std::atomic<int>& begun) {
  return ex::read_env(ex::get_stop_token) | ex::then([&begun](auto token) {
           ++begun;
           while (!token.stop_requested()) this_task::sleep_for(std::chrono::milliseconds(1));
         }) |
         ex::upon_error([](auto&&) noexcept {});
}

TEST(counting_scope, asks_its_work_to_stop) {
  ex::counting_scope scope;
  std::atomic<int> begun{0};
  for (int i = 0; i < 3; ++i) ex::spawn(ex::starts_on(amity::get_scheduler(), until_stopped(begun)), scope.get_token());
  while (begun.load() != 3) this_task::sleep_for(std::chrono::milliseconds(1));
  scope.request_stop();
  EXPECT_TRUE(ex::sync_wait(scope.join()).has_value());
  ex::counting_scope asked;
  asked.request_stop();  // and what comes then
  ex::spawn(until_stopped(begun), asked.get_token());
  EXPECT_EQ(begun.load(), 4);
  EXPECT_TRUE(ex::sync_wait(asked.join()).has_value());
}

TEST(counting_scope, what_is_dropped_is_asked_to_stop) {
  ex::counting_scope scope;
  std::atomic<int> begun{0};
  {
    auto unwanted = ex::spawn_future(ex::starts_on(amity::get_scheduler(), until_stopped(begun)), scope.get_token());
    while (begun.load() != 1) this_task::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(ex::sync_wait(scope.join()).has_value());
}

}  // namespace
}  // namespace amity
