#include "amity/algo/rotate.hpp"

#include <memory>

#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

TEST(reverse, in_place_and_copying) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 1000);
    auto a = v;
    std::vector<int> const expected(v.rbegin(), v.rend());
    amity::reverse(policy, a.begin(), a.end());
    EXPECT_EQ(a, expected);
    std::vector<int> out(n);
    EXPECT_EQ(amity::ranges::reverse_copy(policy, v, out.begin()).out, out.end());
    EXPECT_EQ(out, expected);
  });
}

TEST(rotate, each_kind_of_place) {
  for_all([](const auto& policy, std::size_t n) {
    for (std::size_t by : {std::size_t{0}, std::size_t{1}, n / 3, n / 2, n - 1, n}) {
      if (by > n) continue;
      auto const v = numbers(n, 1000);
      auto a = v, b = v;
      auto const shift = static_cast<long>(by);
      EXPECT_EQ(amity::rotate(policy, a.begin(), a.begin() + shift, a.end()) - a.begin(),
                std::rotate(b.begin(), b.begin() + shift, b.end()) - b.begin());
      EXPECT_EQ(a, b);
      std::vector<int> out(n);
      amity::rotate_copy(policy, v.begin(), v.begin() + shift, v.end(), out.begin());
      EXPECT_EQ(out, b);
    }
  });
}

TEST(shift, left_and_right) {
  for_all([](const auto& policy, std::size_t n) {
    for (long by : {0L, 1L, 10L, 333L, 20000L, static_cast<long>(n / 2), static_cast<long>(n)}) {
      auto const v = numbers(n, 1000);
      auto a = v, b = v;
      auto const end = amity::shift_left(policy, a.begin(), a.end(), by);
      auto const expected_end = std::shift_left(b.begin(), b.end(), by);
      EXPECT_EQ(std::vector<int>(a.begin(), end), std::vector<int>(b.begin(), expected_end));
      a = b = v;
      auto const begin = amity::ranges::shift_right(policy, a, by);
      auto const expected_begin = std::shift_right(b.begin(), b.end(), by);
      EXPECT_EQ(std::vector<int>(begin, a.end()), std::vector<int>(expected_begin, b.end()));
    }
  });
}

TEST(rotate, elements_that_can_only_be_moved_and_futures) {
  std::vector<std::unique_ptr<int>> v;
  for (int i = 0; i < 1000; ++i) v.push_back(std::make_unique<int>(i));
  amity::rotate(ex::par.with(ex::static_chunk_size(30)), v.begin(), v.begin() + 100, v.end());
  EXPECT_EQ(*v[0], 100);
  amity::reverse(ex::par(ex::task), v.begin(), v.end()).get();
  EXPECT_EQ(*v[0], 99);
  EXPECT_EQ(amity::shift_right(ex::par, v.begin(), v.end(), -1), v.begin());
  EXPECT_EQ(amity::shift_left(v.begin(), v.end(), -1), v.end());
  amity::shift_left(v.begin(), v.end(), 1);
  EXPECT_EQ(*v[0], 98);
}

}  // namespace
}  // namespace amity
