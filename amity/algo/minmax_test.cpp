#include "amity/algo/minmax.hpp"

#include <limits>

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
      auto const [min, max] = amity::ranges::minmax_element(policy, v, std::greater<>());
      EXPECT_EQ(std::pair(min, max), std::minmax_element(v.begin(), v.end(), std::greater<>()));
    }
  });
}

TEST(minmax, without_a_policy_and_as_a_future) {
  auto const v = numbers(100, 1000);
  EXPECT_EQ(amity::min_element(v.begin(), v.end()), std::min_element(v.begin(), v.end()));
  EXPECT_EQ(amity::ranges::max_element(ex::par(ex::task), v).get(), std::max_element(v.begin(), v.end()));
}

template <class T>
void all_as_std(const std::vector<T>& v) {
  for (const named_policy& p : policies()) {
    SCOPED_TRACE(p.name);
    EXPECT_EQ(amity::min_element(p.policy, v.begin(), v.end()), std::min_element(v.begin(), v.end()));
    EXPECT_EQ(amity::max_element(p.policy, v.begin(), v.end()), std::max_element(v.begin(), v.end()));
    EXPECT_EQ(amity::minmax_element(p.policy, v.begin(), v.end()), std::minmax_element(v.begin(), v.end()));
    auto const more = std::greater<T>();
    EXPECT_EQ(amity::minmax_element(p.policy, v.begin(), v.end(), more), std::minmax_element(v.begin(), v.end(), more));
  }
}

TEST(minmax, of_each_kind_of_number) {
  for (std::size_t n : {0, 1, 2, 3, 1000, 1001}) {
    auto const v = numbers(n, 100);
    all_as_std(std::vector<char>(v.begin(), v.end()));
    all_as_std(std::vector<unsigned short>(v.begin(), v.end()));
    all_as_std(std::vector<double>(v.begin(), v.end()));
    all_as_std(std::vector<float>(v.rbegin(), v.rend()));
  }
}

TEST(minmax, zeros_of_both_signs_and_what_is_no_number) {  // where one goes from left to right
  double const nan = std::numeric_limits<double>::quiet_NaN();
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::vector<double> v;
    for (int x : numbers(seed % 13, 5, seed)) v.push_back(x == 0 ? -0.0 : x == 1 ? 0.0 : x == 2 ? nan : x);
    EXPECT_EQ(amity::min_element(v.begin(), v.end()), std::min_element(v.begin(), v.end()));
    EXPECT_EQ(amity::max_element(v.begin(), v.end()), std::max_element(v.begin(), v.end()));
    EXPECT_EQ(amity::minmax_element(v.begin(), v.end()), std::minmax_element(v.begin(), v.end()));
  }
}

}  // namespace
}  // namespace amity
