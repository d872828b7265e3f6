#include "amity/algo/compare.hpp"

#include <deque>
#include <forward_list>

#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

/// A copy of v that differs at one place, if there is one.
std::vector<int> changed(std::vector<int> v, std::size_t place, int by) {
  if (place < v.size()) v[place] += by;
  return v;
}

TEST(equal, mismatch_and_order_of_two_ranges) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 1000);
    for (std::size_t place : {std::size_t{0}, n / 2, n - 1, n}) {
      auto const w = changed(v, place, place % 2 == 0 ? 1 : -1);
      bool const same = v == w;
      EXPECT_EQ(amity::equal(policy, v.begin(), v.end(), w.begin()), same);
      EXPECT_EQ(amity::equal(policy, v.begin(), v.end(), w.begin(), w.end()), same);
      EXPECT_TRUE(amity::ranges::equal(policy, v, w, [](int a, int b) { return std::abs(a - b) < 2; }));
      EXPECT_EQ(amity::mismatch(policy, v.begin(), v.end(), w.begin()), std::mismatch(v.begin(), v.end(), w.begin()));
      auto const [in_v, in_w] = amity::ranges::mismatch(policy, v, w);
      EXPECT_EQ(std::pair(in_v, in_w), std::mismatch(v.begin(), v.end(), w.begin(), w.end()));
      EXPECT_EQ(amity::lexicographical_compare(policy, v.begin(), v.end(), w.begin(), w.end()),
                std::lexicographical_compare(v.begin(), v.end(), w.begin(), w.end()));
      EXPECT_EQ(amity::ranges::lexicographical_compare(policy, v, w, std::greater<>()),
                std::lexicographical_compare(v.begin(), v.end(), w.begin(), w.end(), std::greater<>()));
    }
  });
}

TEST(equal, ranges_of_different_lengths) {
  std::vector<int> const v(1000, 1);
  std::deque<int> const longer(1001, 1);
  for (const named_policy& p : policies()) {
    EXPECT_FALSE(amity::equal(p.policy, v.begin(), v.end(), longer.begin(), longer.end()));
    EXPECT_EQ(amity::mismatch(p.policy, v.begin(), v.end(), longer.begin(), longer.end()).first, v.end());
    EXPECT_TRUE(amity::lexicographical_compare(p.policy, v.begin(), v.end(), longer.begin(), longer.end()));
    EXPECT_FALSE(amity::ranges::lexicographical_compare(p.policy, longer, v));
  }
}

TEST(is_sorted, until_where) {
  for_all([](const auto& policy, std::size_t n) {
    auto v = numbers(n, 1000);
    EXPECT_EQ(amity::is_sorted_until(policy, v.begin(), v.end()), std::is_sorted_until(v.begin(), v.end()));
    EXPECT_EQ(amity::is_sorted(policy, v.begin(), v.end()), std::is_sorted(v.begin(), v.end()));
    std::sort(v.begin(), v.end(), std::greater<>());
    EXPECT_TRUE(amity::ranges::is_sorted(policy, v, std::greater<>()));
    if (n < 2) return;
    v[n / 2] = 2000;
    EXPECT_EQ(amity::is_sorted_until(policy, v.begin(), v.end(), std::greater<>()),
              std::is_sorted_until(v.begin(), v.end(), std::greater<>()));
  });
}

TEST(is_partitioned, one_border_at_most) {
  for_all([](const auto& policy, std::size_t n) {
    auto v = numbers(n, 1000);
    EXPECT_EQ(amity::is_partitioned(policy, v.begin(), v.end(), is_even),
              std::is_partitioned(v.begin(), v.end(), is_even));
    std::partition(v.begin(), v.end(), is_even);
    EXPECT_TRUE(amity::ranges::is_partitioned(policy, v, is_even));
    if (n < 3) return;
    v[0] = 0;
    v[n - 2] = 1;
    v[n - 1] = 2;
    EXPECT_FALSE(amity::is_partitioned(policy, v.begin(), v.end(), is_even));
  });
}

TEST(is_heap, until_where) {
  for_all([](const auto& policy, std::size_t n) {
    auto v = numbers(n, 1000);
    EXPECT_EQ(amity::is_heap_until(policy, v.begin(), v.end()), std::is_heap_until(v.begin(), v.end()));
    std::make_heap(v.begin(), v.end());
    EXPECT_TRUE(amity::is_heap(policy, v.begin(), v.end()));
    if (n < 2) return;
    v[n * 2 / 3] = 2000;
    EXPECT_EQ(amity::ranges::is_heap_until(policy, v), std::is_heap_until(v.begin(), v.end()));
    EXPECT_EQ(amity::is_heap(policy, v.begin(), v.end()), std::is_heap(v.begin(), v.end()));
  });
}

TEST(equal, without_a_policy_and_as_a_future) {
  std::string const a = "abc", b = "abd";
  EXPECT_FALSE(amity::equal(a.begin(), a.end(), b.begin()));
  EXPECT_TRUE(amity::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end()));
  EXPECT_TRUE(amity::is_sorted(ex::par(ex::task), a.begin(), a.end()).get());
}

TEST(is_partitioned, asks_once_for_each) {
  for (const named_policy& p : policies())
    for (int border : {0, 1, 63, 64, 65, 1500, 2999, 3000}) {
      std::vector<int> v(3000);
      for (int i = 0; i < 3000; ++i) v[static_cast<std::size_t>(i)] = i < border ? 1 : 0;
      std::atomic<std::size_t> asked{0};
      auto const is_one = [&](int x) { return ++asked, x == 1; };
      EXPECT_TRUE(amity::is_partitioned(p.policy, v.begin(), v.end(), is_one)) << p.name;
      EXPECT_EQ(asked, v.size()) << p.name;
      asked = 0;
      v[static_cast<std::size_t>(border < 1500 ? 2999 : 0)] = border < 1500 ? 1 : 0;
      EXPECT_EQ(amity::is_partitioned(p.policy, v.begin(), v.end(), is_one),
                std::is_partitioned(v.begin(), v.end(), [](int x) { return x == 1; }))
          << p.name << ' ' << border;
      EXPECT_LE(asked, v.size()) << p.name;
    }
}

TEST(compare, beginnings_and_ends) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 1000);
    for (std::size_t m : {std::size_t{0}, n / 2, n}) {
      std::vector<int> front(v.begin(), v.begin() + static_cast<long>(m)),
          back(v.end() - static_cast<long>(m), v.end());
      EXPECT_TRUE(amity::starts_with(policy, v.begin(), v.end(), front.begin(), front.end()));
      EXPECT_TRUE(amity::ends_with(policy, v.begin(), v.end(), back.begin(), back.end()));
      if (m == 0) continue;
      front[m - 1] = back[0] = -1;
      EXPECT_FALSE(amity::ranges::starts_with(policy, v, front));
      EXPECT_FALSE(amity::ranges::ends_with(policy, v, back));
    }
    auto longer = v;
    longer.push_back(0);
    EXPECT_FALSE(amity::ranges::starts_with(policy, v, longer));
    EXPECT_TRUE(amity::ranges::starts_with(policy, longer, v));
    longer.insert(longer.begin(), 0);
    EXPECT_FALSE(amity::ranges::ends_with(policy, v, longer));
    std::vector<int> half;
    for (int x : v) half.push_back(x / 2);
    auto const halved = [](int x) { return x / 2; };
    EXPECT_TRUE(amity::ranges::starts_with(policy, v, half, {}, halved));
    EXPECT_TRUE(amity::ranges::ends_with(policy, half, v, {}, std::identity(), halved));
  });
  std::forward_list<int> const list{1, 2, 3}, end{2, 3};
  EXPECT_TRUE(amity::ranges::ends_with(ex::par, list, end));
  EXPECT_FALSE(amity::ranges::ends_with(end, list));
  EXPECT_FALSE(amity::ranges::starts_with(ex::par, list, end));
  std::vector<int> const v(5000);
  auto const throws = [](int, int) -> bool { throw 42; };
  EXPECT_THROW(amity::ranges::starts_with(ex::par, v, v, throws), exception_list);
  EXPECT_THROW(amity::ranges::ends_with(ex::par, v, v, throws), exception_list);
}

}  // namespace
}  // namespace amity
