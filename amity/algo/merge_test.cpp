#include "amity/algo/merge.hpp"

#include <cmath>
#include <deque>
#include <limits>
#include <memory>

#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

std::vector<int> sorted_numbers(std::size_t n, int below, unsigned seed) {
  auto v = numbers(n, below, seed);
  std::sort(v.begin(), v.end());
  return v;
}

TEST(merge, two_ranges) {
  for_all([](const auto& policy, std::size_t n) {
    for (std::size_t m : {std::size_t{0}, n / 3, n})
      for (int below : {1, 10, 1'000'000}) {
        auto const a = sorted_numbers(n, below, 1), b = sorted_numbers(m, below, 2);
        std::vector<int> out(n + m), expected(n + m);
        std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
        ASSERT_EQ(amity::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin()), out.end());
        ASSERT_EQ(out, expected);
        ASSERT_EQ(amity::ranges::merge(policy, b, a, out.begin()).out, out.end());
        ASSERT_EQ(out, expected);
      }
  });
}

TEST(merge, numbers_whose_order_is_none_are_all_there) {
  double const none = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> a, b;
  for (int x : sorted_numbers(300, 1000, 1)) a.push_back(x % 7 == 0 ? none : x);
  for (int x : sorted_numbers(200, 1000, 2)) b.push_back(x % 5 == 0 ? none : x);
  std::vector<double> out(a.size() + b.size(), -1);
  std::less<> less;
  algo::merge_all<false>(a.begin(), a.end(), b.begin(), b.end(), out.begin(), less);
  auto const key = [](double x) { return std::isnan(x) ? -1.0 : x; };
  std::vector<double> seen, expected;
  for (double x : out) seen.push_back(key(x));
  for (const auto* v : {&a, &b})
    for (double x : *v) expected.push_back(key(x));
  std::sort(seen.begin(), seen.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(seen, expected);
}

TEST(merge, ranges_one_behind_the_other) {
  for_all([](const auto& policy, std::size_t n) {
    auto const all = sorted_numbers(2 * n, 1000, 1);
    auto const middle = all.begin() + static_cast<std::ptrdiff_t>(n);
    std::vector<int> out(2 * n);
    amity::merge(policy, all.begin(), middle, middle, all.end(), out.begin());
    ASSERT_EQ(out, all);
    amity::merge(policy, middle, all.end(), all.begin(), middle, out.begin());
    ASSERT_EQ(out, all);
  });
}

TEST(merge, equal_elements_of_the_first_come_first) {
  using item = std::pair<int, int>;
  auto const by_key = [](const item& a, const item& b) { return a.first > b.first; };
  for_all([&](const auto& policy, std::size_t n) {
    std::vector<item> a, b;
    for (int x : sorted_numbers(n, 20, 1)) a.emplace_back(20 - x, static_cast<int>(a.size()));
    for (int x : sorted_numbers(n / 2, 20, 2)) b.emplace_back(20 - x, 1'000'000 + static_cast<int>(b.size()));
    std::deque<item> out(n + n / 2);
    std::vector<item> expected(n + n / 2);
    std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), by_key);
    amity::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), by_key);
    ASSERT_TRUE(std::equal(out.begin(), out.end(), expected.begin(), expected.end()));
  });
}

TEST(inplace_merge, pointers_and_pairs) {
  for_all([](const auto& policy, std::size_t n) {
    if (n > 20000) return;
    for (std::size_t middle : {std::size_t{0}, n / 3, n}) {
      using item = std::pair<int, std::unique_ptr<int>>;
      std::vector<item> v;
      auto keys = numbers(n, 50);
      std::sort(keys.begin(), keys.begin() + static_cast<long>(middle));
      std::sort(keys.begin() + static_cast<long>(middle), keys.end());
      for (int k : keys) v.emplace_back(k, std::make_unique<int>(static_cast<int>(v.size())));
      amity::inplace_merge(policy, v.begin(), v.begin() + static_cast<long>(middle), v.end(),
                           [](const item& a, const item& b) { return a.first < b.first; });
      for (std::size_t i = 1; i < n; ++i)
        ASSERT_TRUE(v[i - 1].first < v[i].first || (v[i - 1].first == v[i].first && *v[i - 1].second < *v[i].second));
    }
  });
}

TEST(merge, orders_that_are_none_do_no_harm) {
  std::vector<double> a(1000), b(1000), out(2000);
  for (std::size_t i = 0; i < 1000; ++i) {
    a[i] = i % 7 == 0 ? std::nan("") : static_cast<double>(i);
    b[i] = i % 5 == 0 ? std::nan("") : static_cast<double>(i);
  }
  for (const named_policy& p : policies()) amity::merge(p.policy, a.begin(), a.end(), b.begin(), b.end(), out.begin());
  SUCCEED();  // AddressSanitizer has the say
}

TEST(merge, exceptions_come_out_and_futures) {
  std::vector<int> const a(3000, 1), b(3000, 2);
  std::vector<int> out(6000);
  for (const named_policy& p : policies())
    EXPECT_THROW(
        amity::merge(p.policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), [](int, int) -> bool { throw 42; }),
        exception_list);
  EXPECT_EQ(amity::merge(ex::par(ex::task), a.begin(), a.end(), b.begin(), b.end(), out.begin()).get(), out.end());
  EXPECT_TRUE(std::is_sorted(out.begin(), out.end()));
  EXPECT_EQ(amity::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin()), out.end());
}

}  // namespace
}  // namespace amity
