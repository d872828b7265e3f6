#include "amity/algo/minmax.hpp"

#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

TEST(minmax, the_same_one_of_equals_as_std) {
  for_all([](const auto& policy, std::size_t n) {
    for (int below : {1, 3, 1'000'000}) {
      auto const v = numbers(n, below);
      EXPECT_EQ(amity::min_element(policy, v.begin(), v.end()), std::min_element(v.begin(), v.end()));
      EXPECT_EQ(amity::max_element(policy, v.begin(), v.end()), std::max_element(v.begin(), v.end()));
      EXPECT_EQ(amity::minmax_element(policy, v.begin(), v.end()), std::minmax_element(v.begin(), v.end()));
      EXPECT_EQ(amity::ranges::min_element(policy, v, std::greater<>()),
                std::min_element(v.begin(), v.end(), std::greater<>()));
      EXPECT_EQ(amity::ranges::max_element(policy, v, std::greater<>()),
                std::max_element(v.begin(), v.end(), std::greater<>()));
      EXPECT_EQ(amity::ranges::minmax_element(policy, v, std::greater<>()),
                std::minmax_element(v.begin(), v.end(), std::greater<>()));
    }
  });
}

TEST(minmax, without_a_policy_and_as_a_future) {
  auto const v = numbers(100, 1000);
  EXPECT_EQ(amity::min_element(v.begin(), v.end()), std::min_element(v.begin(), v.end()));
  EXPECT_EQ(amity::ranges::max_element(ex::par(ex::task), v).get(), std::max_element(v.begin(), v.end()));
}

}  // namespace
}  // namespace amity
