#include "amity/algo/partitioning.hpp"

#include <memory>

#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

TEST(partition_by, splits_and_keeps_all) {
  for_all([](const auto& policy, std::size_t n) {
    for (int below : {1, 2, 3, 1000}) {
      auto const v = numbers(n, below);
      auto a = v, b = v;
      auto const middle = amity::partition(policy, a.begin(), a.end(), is_even);
      ASSERT_EQ(middle - a.begin(), std::count_if(v.begin(), v.end(), is_even));
      ASSERT_TRUE(std::is_partitioned(a.begin(), a.end(), is_even));
      std::sort(a.begin(), a.end());
      std::sort(b.begin(), b.end());
      ASSERT_EQ(a, b);
    }
  });
}

TEST(partition_by, one_side_first) {
  for_all([](const auto& policy, std::size_t n) {
    std::vector<int> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = i < n / 2 ? 1 : 2;  // the worst: all change places
    EXPECT_EQ(amity::ranges::partition(policy, v, is_even).begin() - v.begin(), static_cast<long>(n - n / 2));
    EXPECT_TRUE(std::is_partitioned(v.begin(), v.end(), is_even));
  });
}

TEST(stable_partition, keeps_the_order) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 1000);
    auto a = v, b = v;
    EXPECT_EQ(amity::stable_partition(policy, a.begin(), a.end(), is_even) - a.begin(),
              std::stable_partition(b.begin(), b.end(), is_even) - b.begin());
    EXPECT_EQ(a, b);
  });
}

TEST(stable_partition, strings_and_pointers) {
  for (const named_policy& p : policies()) {
    std::vector<std::unique_ptr<int>> v;
    for (int i = 0; i < 3000; ++i) v.push_back(std::make_unique<int>(i));
    amity::stable_partition(p.policy, v.begin(), v.end(), [](const auto& x) { return *x % 3 == 0; });
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(*v[static_cast<std::size_t>(i)], 3 * i) << p.name;
    amity::partition(p.policy, v.begin(), v.end(), [](const auto& x) { return *x < 1500; });
    for (int i = 0; i < 1500; ++i) ASSERT_LT(*v[static_cast<std::size_t>(i)], 1500) << p.name;
  }
}

TEST(stable_partition, an_exception_leaves_the_elements) {
  for (const named_policy& p : policies()) {
    auto v = numbers(3000, 1000);
    auto const before = v;
    auto const thrower = [](int x) -> bool {
      if (x == 500) throw 42;
      return is_even(x);
    };
    EXPECT_THROW(amity::partition(p.policy, v.begin(), v.end(), thrower), exception_list);
    auto sorted = v, expected = before;
    std::sort(sorted.begin(), sorted.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(sorted, expected) << p.name;
  }
}

TEST(nth_element, each_kind_of_place) {
  for_all([](const auto& policy, std::size_t n) {
    for (int below : {1, 3, 1'000'000})
      for (std::size_t nth : {std::size_t{0}, n / 3, n / 2, n - 1, n}) {
        if (nth > n) continue;
        auto v = numbers(n, below);
        auto sorted = v;
        std::sort(sorted.begin(), sorted.end());
        auto const place = v.begin() + static_cast<long>(nth);
        amity::nth_element(policy, v.begin(), place, v.end());
        if (nth == n) continue;
        ASSERT_EQ(*place, sorted[nth]);
        ASSERT_TRUE(std::all_of(v.begin(), place, [&](int x) { return x <= *place; }));
        ASSERT_TRUE(std::all_of(place, v.end(), [&](int x) { return x >= *place; }));
      }
  });
}

TEST(nth_element, elements_that_can_only_be_moved) {
  std::vector<std::unique_ptr<int>> v;
  for (int x : numbers(40000, 1000)) v.push_back(std::make_unique<int>(x));
  auto const less = [](const auto& a, const auto& b) { return *a < *b; };
  for (const named_policy& p : policies()) {
    amity::nth_element(p.policy, v.begin(), v.begin() + 20000, v.end(), less);
    ASSERT_TRUE(std::all_of(v.begin(), v.begin() + 20000, [&](const auto& x) { return *x <= *v[20000]; })) << p.name;
  }
}

}  // namespace
}  // namespace amity
