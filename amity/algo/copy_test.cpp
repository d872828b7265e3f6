#include "amity/algo/copy.hpp"

#include <deque>
#include <list>
#include <memory>

#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

TEST(copy, copies_and_moves) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 1000);
    std::vector<int> out(n);
    EXPECT_EQ(amity::copy(policy, v.begin(), v.end(), out.begin()), out.end());
    EXPECT_EQ(out, v);
    std::vector<int> half(n);
    EXPECT_EQ(amity::copy_n(policy, v.begin(), static_cast<long>(n / 2), half.begin()) - half.begin(),
              static_cast<long>(n / 2));
    EXPECT_TRUE(std::equal(half.begin(), half.begin() + static_cast<long>(n / 2), v.begin()));
    std::vector<std::unique_ptr<int>> from, to(n);
    for (int x : v) from.push_back(std::make_unique<int>(x));
    amity::ranges::move(policy, from, to.begin());
    for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(from[i] == nullptr && *to[i] == v[i]);
  });
  EXPECT_EQ(amity::copy_n(ex::par, static_cast<int*>(nullptr), -3, static_cast<int*>(nullptr)), nullptr);
}

TEST(copy, lists_by_one) {
  std::list<int> list(10);
  std::vector<int> const v{1, 2, 3};
  amity::copy(ex::par, v.begin(), v.end(), list.begin());
  EXPECT_EQ(*std::next(list.begin()), 2);
}

TEST(fill, fills_and_generates) {
  for_all([](const auto& policy, std::size_t n) {
    std::vector<std::string> v(n);
    std::string const word("a word that is too long for a small string");
    amity::fill(policy, v.begin(), v.end(), word);
    EXPECT_EQ(v, std::vector<std::string>(n, word));
    auto const half = static_cast<long>(n / 2);
    EXPECT_EQ(amity::fill_n(policy, v.begin(), half, "short") - v.begin(), half);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(v[i], i < n / 2 ? "short" : word);
    std::vector<int> g(n);
    std::atomic<int> next{0};
    amity::generate(policy, g.begin(), g.end(), [&] { return ++next; });
    std::sort(g.begin(), g.end());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(g[i], static_cast<int>(i) + 1);
    EXPECT_EQ(amity::generate_n(policy, g.begin(), half, [] { return 0; }) - g.begin(), half);
    EXPECT_EQ(std::count(g.begin(), g.end(), 0), half);
  });
}

TEST(replace, in_place_and_copying) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 5);
    auto a = v, expected = v;
    std::replace(expected.begin(), expected.end(), 3, -1);
    amity::replace(policy, a.begin(), a.end(), 3, -1);
    EXPECT_EQ(a, expected);
    std::vector<int> out(n);
    EXPECT_EQ(amity::replace_copy(policy, v.begin(), v.end(), out.begin(), 3, -1), out.end());
    EXPECT_EQ(out, expected);
    a = expected = v;
    std::replace_if(expected.begin(), expected.end(), is_even, 9);
    amity::ranges::replace_if(policy, a, is_even, 9);
    EXPECT_EQ(a, expected);
    amity::replace_copy_if(policy, v.begin(), v.end(), out.begin(), is_even, 9);
    EXPECT_EQ(out, expected);
  });
}

TEST(swap_ranges, both_change) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 100), w = numbers(n, 100, 2);
    auto a = v, b = w;
    EXPECT_EQ(amity::swap_ranges(policy, a.begin(), a.end(), b.begin()), b.end());
    EXPECT_EQ(a, w);
    EXPECT_EQ(b, v);
  });
}

TEST(adjacent_difference, elsewhere_and_in_place) {
  for_all([](const auto& policy, std::size_t n) {
    auto v = numbers(n, 1000);
    std::vector<int> expected(n), out(n);
    std::adjacent_difference(v.begin(), v.end(), expected.begin());
    EXPECT_EQ(amity::adjacent_difference(policy, v.begin(), v.end(), out.begin()), out.end());
    EXPECT_EQ(out, expected);
    amity::adjacent_difference(policy, v.begin(), v.end(), v.begin());
    EXPECT_EQ(v, expected);
  });
}

TEST(copy, what_an_assignment_throws_comes_out) {
  struct refuses {
    int value = 0;
    refuses() = default;
    refuses& operator=(const refuses& other) {
      if (other.value == 7) throw std::runtime_error("planted");
      value = other.value;
      return *this;
    }
    refuses(const refuses&) = default;
  };
  std::vector<refuses> from(1000), to(1000);
  from[700].value = 7;
  for (const named_policy& p : policies())
    EXPECT_THROW(amity::copy(p.policy, from.begin(), from.end(), to.begin()), exception_list);
}

TEST(fill, an_element_of_the_range) {
  for (const named_policy& p : policies()) {
    std::vector<std::string> v(3000);
    v[1500] = "a string that is too long to lie in place";
    amity::fill(p.policy, v.begin(), v.end(), v[1500]);
    EXPECT_EQ(std::count(v.begin(), v.end(), "a string that is too long to lie in place"), 3000) << p.name;
  }
}

TEST(adjacent_difference, in_place_through_iterators_of_two_types) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 1000);
    std::vector<int> expected(n);
    std::adjacent_difference(v.begin(), v.end(), expected.begin());
    auto a = v;
    amity::adjacent_difference(policy, a.cbegin(), a.cend(), a.begin());
    EXPECT_EQ(a, expected);
    a = v;
    amity::adjacent_difference(policy, a.data(), a.data() + n, a.begin());
    EXPECT_EQ(a, expected);
    std::deque<int> d(v.begin(), v.end());
    amity::adjacent_difference(policy, d.cbegin(), d.cend(), d.begin());
    EXPECT_TRUE(std::equal(d.begin(), d.end(), expected.begin()));
  });
}

}  // namespace
}  // namespace amity
