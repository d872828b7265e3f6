#include "amity/algo/set_operations.hpp"

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

/// `check(policy, a, b)` for sorted ranges of many sizes, with few and with many equal elements.
template <class F>
void for_all_pairs(F check) {
  for_all([&](const auto& policy, std::size_t n) {
    if (n > 20000) return;
    for (std::size_t m : {std::size_t{0}, std::size_t{1}, n / 3, n})
      for (int below : {1, 5, 1000, 1'000'000}) {
        check(policy, sorted_numbers(n, below, 1), sorted_numbers(m, below, 2));
        if (::testing::Test::HasFatalFailure()) return;
      }
  });
}

template <class Ours, class Theirs>
void compare(Ours ours, Theirs theirs, const std::vector<int>& a, const std::vector<int>& b) {
  for (auto [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    std::vector<int> out(a.size() + b.size()), expected(a.size() + b.size());
    out.erase(ours(*x, *y, out.begin()), out.end());
    expected.erase(theirs(x->begin(), x->end(), y->begin(), y->end(), expected.begin()), expected.end());
    ASSERT_EQ(out, expected);
  }
}

TEST(set_operations, united_and_intersected) {
  for_all_pairs([](const auto& policy, const std::vector<int>& a, const std::vector<int>& b) {
    compare([&](auto& x, auto& y,
                auto out) { return amity::set_union(policy, x.begin(), x.end(), y.begin(), y.end(), out); },
            [](auto... x) { return std::set_union(x...); }, a, b);
    compare([&](auto& x, auto& y, auto out) { return amity::ranges::set_intersection(policy, x, y, out).out; },
            [](auto... x) { return std::set_intersection(x...); }, a, b);
  });
}

TEST(set_operations, differences) {
  for_all_pairs([](const auto& policy, const std::vector<int>& a, const std::vector<int>& b) {
    compare([&](auto& x, auto& y, auto out) { return amity::ranges::set_difference(policy, x, y, out).out; },
            [](auto... x) { return std::set_difference(x...); }, a, b);
    compare([&](auto& x, auto& y, auto out) { return amity::ranges::set_symmetric_difference(policy, x, y, out).out; },
            [](auto... x) { return std::set_symmetric_difference(x...); }, a, b);
  });
}

TEST(set_operations, includes) {
  for_all_pairs([](const auto& policy, const std::vector<int>& a, const std::vector<int>& b) {
    ASSERT_EQ(amity::ranges::includes(policy, a, b), std::includes(a.begin(), a.end(), b.begin(), b.end()));
    std::vector<int> some;
    for (std::size_t i = 0; i < a.size(); i += 3) some.push_back(a[i]);
    ASSERT_TRUE(amity::includes(policy, a.begin(), a.end(), some.begin(), some.end()));
    if (some.empty()) return;
    some.push_back(some.back() + 1'000'000'000);
    ASSERT_FALSE(amity::includes(policy, a.begin(), a.end(), some.begin(), some.end()));
  });
}

TEST(set_operations, another_order_strings_and_elements_of_the_first) {
  using item = std::pair<std::string, int>;
  auto const by_key = [](const item& a, const item& b) { return a.first > b.first; };
  std::vector<item> a, b;
  for (int x : sorted_numbers(2000, 500, 1)) a.emplace_back(std::to_string(x), 1);
  for (int x : sorted_numbers(1500, 500, 2)) b.emplace_back(std::to_string(x), 2);
  std::sort(a.begin(), a.end(), by_key);
  std::sort(b.begin(), b.end(), by_key);
  std::vector<item> expected(3500);
  expected.erase(std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), by_key),
                 expected.end());
  for (const named_policy& p : policies()) {
    std::vector<item> out(3500);
    out.erase(amity::set_intersection(p.policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), by_key),
              out.end());
    EXPECT_EQ(out, expected) << p.name;
  }
  std::vector<item> out(3500);
  EXPECT_EQ(amity::set_union(ex::par(ex::task), a.begin(), a.end(), b.begin(), b.end(), out.begin(), by_key).get(),
            amity::set_union(a.begin(), a.end(), b.begin(), b.end(), out.begin(), by_key));
}

}  // namespace
}  // namespace amity
