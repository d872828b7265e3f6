#include "amity/future/timed.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace amity {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

TEST(timed, is_ready_when_the_time_has_come_and_not_before) {
  clock::time_point const begun = clock::now();
  future<std::string> f = make_ready_future_after(20ms, std::string("value"));
  EXPECT_EQ(f.get(), "value");
  EXPECT_GE(clock::now() - begun, 20ms);
  clock::time_point const deadline = clock::now() + 10ms;
  make_ready_future_at(deadline).get();
  EXPECT_GE(clock::now(), deadline);
}

TEST(timed, takes_what_can_only_be_moved_and_references) {
  EXPECT_EQ(*make_ready_future_after(1ms, std::make_unique<int>(7)).get(), 7);
  int here = 1;
  make_ready_future_at(std::chrono::system_clock::now(), std::ref(here)).get() = 2;
  EXPECT_EQ(here, 2);
  make_ready_future_after(-1s).get();  // is over
  EXPECT_EQ(make_ready_future_after<std::string>(1ms, 3, 'x').get(), "xxx");
  EXPECT_EQ(make_ready_future_at<std::string>(clock::now()).get(), "");
  make_ready_future_after<void>(1ms).get();
  make_ready_future_at<void>(clock::now()).get();
}

TEST(timed, many_at_once) {
  std::vector<future<int>> all;
  for (int i = 0; i < 100; ++i) all.push_back(make_ready_future_after(20ms, i));
  int sum = 0;
  for (auto& f : all) sum += f.get();
  EXPECT_EQ(sum, 99 * 50);
}

}  // namespace
}  // namespace amity
