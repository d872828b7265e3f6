#include "amity/sync/inplace_stop.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "amity/sync/this_task.hpp"

namespace amity {
namespace {

TEST(inplace_stop, calls_back_once_and_what_comes_later_at_once) {
  inplace_stop_source source;
  int calls = 0;
  inplace_stop_callback const first(source.get_token(), [&] { ++calls; });
  {
    inplace_stop_callback const gone(source.get_token(), [&] { calls += 100; });
  }
  EXPECT_FALSE(source.stop_requested());
  EXPECT_TRUE(source.request_stop());
  EXPECT_FALSE(source.request_stop());
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(source.get_token().stop_requested());
  inplace_stop_callback const late(source.get_token(), [&] { calls += 10; });
  EXPECT_EQ(calls, 11);
}

TEST(inplace_stop, a_token_without_a_source_never_stops) {
  inplace_stop_token none;
  EXPECT_FALSE(none.stop_possible() || none.stop_requested());
  inplace_stop_callback const never(none, [] { FAIL(); });
  inplace_stop_source source;
  inplace_stop_token token = source.get_token();
  EXPECT_TRUE(token.stop_possible() && token == source.get_token() && token != none);
  token.swap(none);
  EXPECT_TRUE(none == source.get_token() && !token.stop_possible());
  static_assert(std::is_same_v<inplace_stop_token::callback_type<void (*)()>, inplace_stop_callback<void (*)()>>);
}

TEST(inplace_stop, a_callback_may_destroy_itself_and_others) {
  inplace_stop_source source;
  using callback = inplace_stop_callback<std::function<void()>>;
  std::optional<callback> one, two, three;
  int calls = 0;
  const auto destroys_all = [&] {
    ++calls;
    one.reset();
    two.reset();
    three.reset();
  };
  one.emplace(source.get_token(), destroys_all);
  two.emplace(source.get_token(), destroys_all);
  three.emplace(source.get_token(), destroys_all);
  EXPECT_TRUE(source.request_stop());
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(one || two || three);
}

TEST(inplace_stop, who_destroys_a_callback_waits_for_its_call) {
  for (int round = 0; round < 50; ++round) {
    inplace_stop_source source;
    std::atomic<bool> is_in_call{false}, is_over{false};
    auto slow = std::make_unique<inplace_stop_callback<std::function<void()>>>(source.get_token(), [&] {
      is_in_call = true;
      this_task::sleep_for(std::chrono::milliseconds(1));
      is_over = true;
    });
    std::thread other([&] { source.request_stop(); });
    while (!is_in_call) this_task::yield();
    slow.reset();
    EXPECT_TRUE(is_over);
    other.join();
  }
}

TEST(inplace_stop, callbacks_come_and_go_while_a_stop_is_requested) {
  for (int round = 0; round < 300; ++round) {
    inplace_stop_source source;
    std::atomic<int> calls{0};
    std::atomic<bool> begins{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        while (!begins) this_task::yield();
        for (int i = 0; i < 20; ++i) {
          std::atomic<int> mine{0};  // dangles if it is called later
          inplace_stop_callback const each(source.get_token(), [&] { ++mine, ++calls; });
          EXPECT_LE(mine, 1);
        }
      });
    inplace_stop_callback const stays(source.get_token(), [&] { ++calls; });
    begins = true;
    EXPECT_TRUE(source.request_stop());
    EXPECT_GE(calls, 1);
    for (std::thread& t : threads) t.join();
  }
}

}  // namespace
}  // namespace amity
