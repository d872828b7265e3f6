#include "amity/algo/executor_properties.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "amity/algo/for_each.hpp"

namespace amity {
namespace {

namespace x = execution::experimental;
using execution::parallel_executor;

TEST(executor_properties, priorities_and_hints) {
  auto const soon = x::with_priority(parallel_executor(), task_priority::high);
  EXPECT_EQ(x::get_priority(parallel_executor()), task_priority::normal);
  EXPECT_EQ(x::get_priority(soon), task_priority::high);
  auto const near = x::with_hint(soon, 1);
  EXPECT_EQ(x::get_hint(soon), no_worker);
  EXPECT_EQ(x::get_hint(near), 1);
  EXPECT_EQ(x::get_priority(near), task_priority::high);
  EXPECT_EQ(amity::async(
                near, [](int a) { return a + 1; }, 41)
                .get(),
            42);
  execution::policy_executor const in_turn("static");
  auto const low = x::with_hint(x::with_priority(in_turn, task_priority::low), 0);
  EXPECT_EQ(x::get_priority(low), task_priority::low);
  EXPECT_EQ(x::get_hint(low), 0);
  EXPECT_EQ(amity::async(low, [] { return 7; }).get(), 7);
  std::vector<int> v(1000);
  amity::for_each(execution::par.on(near), v.begin(), v.end(), [](int& each) { each = 1; });
  for (int const each : v) ASSERT_EQ(each, 1);
}

TEST(executor_properties, annotations) {
  EXPECT_EQ(x::get_annotation(parallel_executor()), nullptr);
  auto const named = x::with_annotation(parallel_executor(), "assembly");
  EXPECT_STREQ(x::get_annotation(named), "assembly");
  auto const renamed = x::with_annotation(named, "solve");
  EXPECT_STREQ(x::get_annotation(renamed), "solve");
  EXPECT_EQ(amity::async(renamed, [] { return std::string(annotation()); }).get(), "solve");
  auto const soon = x::with_annotation(x::with_priority(parallel_executor(), task_priority::high), "soon");
  EXPECT_EQ(amity::async(soon, [] { return std::string(annotation()); }).get(), "soon");
  EXPECT_EQ(x::get_annotation(execution::par), nullptr);
  auto const policy = x::with_annotation(execution::par, "loop");
  EXPECT_STREQ(x::get_annotation(policy), "loop");
  std::vector<int> v(1000);
  std::atomic<int> right{0};
  amity::for_each(policy, v.begin(), v.end(), [&](int) { right += std::string(annotation()) == "loop" ? 1 : 0; });
  EXPECT_EQ(right, 1000);
}

}  // namespace
}  // namespace amity
