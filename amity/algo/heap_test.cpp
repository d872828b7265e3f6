#include "amity/algo/heap.hpp"

#include <deque>
#include <memory>

#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

TEST(heap, any_policy_any_size) {
  for_all([](const auto& policy, std::size_t n) {
    auto const numbers_of_it = numbers(n, 1000);
    auto v = numbers_of_it;
    amity::make_heap(policy, v.begin(), v.end());
    EXPECT_TRUE(std::is_heap(v.begin(), v.end()));
    std::sort_heap(v.begin(), v.end());
    auto sorted = numbers_of_it;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(v, sorted);
    amity::ranges::make_heap(policy, v, std::greater<>());
    EXPECT_TRUE(std::is_heap(v.begin(), v.end(), std::greater<>()));
  });
}

TEST(heap, each_size) {
  for (std::size_t n = 0; n < 300; ++n) {
    auto v = numbers(n, 50);
    std::deque<int> d(v.begin(), v.end());
    amity::make_heap(ex::par.with(ex::dynamic_chunk_size(3)), d.begin(), d.end());
    EXPECT_TRUE(std::is_heap(d.begin(), d.end())) << n;
  }
}

TEST(heap, what_can_only_be_moved_and_projections) {
  std::vector<std::unique_ptr<int>> v;
  for (int x : numbers(5000, 400)) v.push_back(std::make_unique<int>(x));
  auto const value = [](const std::unique_ptr<int>& p) { return *p; };
  amity::ranges::make_heap(ex::par.with(ex::static_chunk_size(7)), v, {}, value);
  EXPECT_TRUE(std::ranges::is_heap(v, {}, value));
  amity::ranges::make_heap(v, std::greater<>(), value);
  EXPECT_TRUE(std::ranges::is_heap(v, std::greater<>(), value));
}

TEST(heap, a_comparison_that_throws_loses_nothing) {
  auto v = numbers(20000, 1000000);
  auto sorted = v;
  std::sort(sorted.begin(), sorted.end());
  std::atomic<int> left{5000};
  auto const less = [&](int a, int b) { return --left < 0 ? throw 42 : a < b; };
  EXPECT_THROW(amity::make_heap(ex::par.with(ex::static_chunk_size(1)), v.begin(), v.end(), less), exception_list);
  std::sort(v.begin(), v.end());
  EXPECT_EQ(v, sorted);
}

}  // namespace
}  // namespace amity
