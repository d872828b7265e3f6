#include "amity/algo/filter.hpp"

#include <memory>

#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

template <class It>
std::vector<int> kept(std::vector<int>& v, It end) {
  return std::vector<int>(v.begin(), end);
}

TEST(copy_if, and_its_relatives) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 5);
    std::vector<int> out(n), expected(n);
    auto const check = [&](auto end, auto expected_end) { EXPECT_EQ(kept(out, end), kept(expected, expected_end)); };
    check(amity::copy_if(policy, v.begin(), v.end(), out.begin(), is_even),
          std::copy_if(v.begin(), v.end(), expected.begin(), is_even));
    check(amity::ranges::remove_copy_if(policy, v, out.begin(), is_even).out,
          std::remove_copy_if(v.begin(), v.end(), expected.begin(), is_even));
    check(amity::remove_copy(policy, v.begin(), v.end(), out.begin(), 3),
          std::remove_copy(v.begin(), v.end(), expected.begin(), 3));
    check(amity::unique_copy(policy, v.begin(), v.end(), out.begin()),
          std::unique_copy(v.begin(), v.end(), expected.begin()));
  });
}

TEST(copy_if, asks_once_for_each) {
  auto const v = numbers(3000, 5);
  for (const named_policy& p : policies()) {
    std::vector<int> out(v.size());
    std::atomic<std::size_t> asked{0};
    amity::copy_if(p.policy, v.begin(), v.end(), out.begin(), [&](int x) { return ++asked, is_even(x); });
    EXPECT_EQ(asked, v.size()) << p.name;
  }
}

TEST(partition_copy, both_outputs) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 5);
    std::vector<int> yes(n), no(n), expected_yes(n), expected_no(n);
    auto const [a, b] = amity::partition_copy(policy, v.begin(), v.end(), yes.begin(), no.begin(), is_even);
    auto const [c, d] = std::partition_copy(v.begin(), v.end(), expected_yes.begin(), expected_no.begin(), is_even);
    EXPECT_EQ(kept(yes, a), kept(expected_yes, c));
    EXPECT_EQ(kept(no, b), kept(expected_no, d));
  });
}

TEST(remove, in_place) {
  for_all([](const auto& policy, std::size_t n) {
    for (int below : {1, 2, 5, 100}) {
      auto const v = numbers(n, below);
      auto a = v, b = v;
      EXPECT_EQ(kept(a, amity::remove(policy, a.begin(), a.end(), 0)), kept(b, std::remove(b.begin(), b.end(), 0)));
      a = b = v;
      EXPECT_EQ(kept(a, amity::ranges::remove_if(policy, a, is_even).begin()),
                kept(b, std::remove_if(b.begin(), b.end(), is_even)));
    }
  });
}

TEST(unique, in_place_across_chunks) {
  for_all([](const auto& policy, std::size_t n) {
    for (int below : {1, 2, 5, 100}) {
      auto v = numbers(n, below);
      if (below == 5) std::sort(v.begin(), v.end());
      auto a = v, b = v;
      EXPECT_EQ(kept(a, amity::unique(policy, a.begin(), a.end())), kept(b, std::unique(b.begin(), b.end())));
    }
  });
}

TEST(remove_if, elements_that_can_only_be_moved) {
  for (const named_policy& p : policies()) {
    std::vector<std::unique_ptr<int>> v;
    for (int i = 0; i < 3000; ++i) v.push_back(std::make_unique<int>(i));
    v.erase(amity::remove_if(p.policy, v.begin(), v.end(), [](const auto& x) { return *x % 3 == 0; }), v.end());
    ASSERT_EQ(v.size(), 2000u) << p.name;
    for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(*v[i], static_cast<int>(i / 2 * 3 + i % 2 + 1));
    v.erase(amity::unique(p.policy, v.begin(), v.end(), [](const auto& a, const auto& b) { return *a / 3 == *b / 3; }),
            v.end());
    ASSERT_EQ(v.size(), 1000u) << p.name;
  }
}

TEST(remove_if, without_a_policy_and_exceptions) {
  std::vector<int> v{1, 2, 3, 4};
  EXPECT_EQ(amity::remove(v.begin(), v.end(), 2) - v.begin(), 3);
  std::vector<int> const many(5000, 1);
  for (const named_policy& p : policies()) {
    auto copy = many;
    EXPECT_THROW(amity::remove_if(p.policy, copy.begin(), copy.end(), [](int) -> bool { throw 42; }), exception_list);
    EXPECT_THROW(amity::copy_if(p.policy, many.begin(), many.end(), copy.begin(), [](int) -> bool { throw 42; }),
                 exception_list);
  }
}

TEST(unique, numbers_that_are_close_as_std) {  // which is not transitive: the one that is kept counts
  for (int below : {2, 10, 100}) {
    auto a = numbers(1000, below), b = a;
    auto const close = [](int x, int y) { return std::abs(x - y) < 3; };
    EXPECT_EQ(kept(a, amity::unique(a.begin(), a.end(), close)), kept(b, std::unique(b.begin(), b.end(), close)));
  }
}

}  // namespace
}  // namespace amity
