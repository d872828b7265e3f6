#include "amity/algo/quicksort.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "amity/algo/test_support.hpp"

namespace amity::algo {
namespace {

using algo_test::numbers;

template <class T, class Less = std::less<>>
void expect_sorted(std::vector<T> v, Less less = {}) {
  auto expected = v;
  std::sort(expected.begin(), expected.end(), less);
  sort_numbers(v.begin(), v.end(), less);
  ASSERT_EQ(v, expected);
}

TEST(quicksort, random_numbers_of_all_sizes) {
  for (std::size_t n = 0; n < 300; ++n)
    for (int below : {1, 2, 10, 1'000'000}) {
      expect_sorted(numbers(n, below));
      expect_sorted(numbers(n, below), std::greater<>());
    }
  for (std::size_t n : {1000, 10007, 100003})
    for (int below : {1, 2, 3, 100, 1'000'000'000}) expect_sorted(numbers(n, below));
}

TEST(quicksort, orders_that_are_bad_for_pivots) {
  for (std::size_t n : {100, 1000, 50000}) {
    std::vector<double> up(n), down(n), pipe(n), saw(n), halves(n);
    for (std::size_t i = 0; i < n; ++i) {
      up[i] = static_cast<double>(i);
      down[i] = static_cast<double>(n - i);
      pipe[i] = static_cast<double>(std::min(i, n - i));
      saw[i] = static_cast<double>(i % 17);
      halves[i] = static_cast<double>(i < n / 2 ? i : i - n / 2);
    }
    for (const auto& v : {up, down, pipe, saw, halves}) expect_sorted(v);
  }
}

/// McIlroy's adversary ("A Killer Adversary for Quicksort", 1999): an order that is made up while it is asked for, so
/// that each pivot is a bad one. Heap sort has to end it.
TEST(quicksort, an_adversary_costs_n_log_n) {
  int const n = 1 << 14;
  long comparisons = 0;
  std::vector<int> made(static_cast<std::size_t>(n), n);  // n: not decided yet, larger than all that are
  int decided = 0, candidate = 0;
  auto less = [&](int a, int b) {
    ++comparisons;
    auto& x = made[static_cast<std::size_t>(a)];
    auto& y = made[static_cast<std::size_t>(b)];
    if (x == n && y == n) (a == candidate ? x : y) = decided++;
    if (x == n)
      candidate = a;
    else if (y == n)
      candidate = b;
    return x < y;
  };
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  sort_numbers(order.begin(), order.end(), less);
  EXPECT_LT(comparisons, 20L * n * 14);
}

TEST(quicksort, an_order_that_is_none_loses_nothing) {
  double const none = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t n : {5, 50, 5000}) {
    std::vector<double> v;
    for (int x : numbers(n, 100)) v.push_back(x % 3 == 0 ? none : x);
    auto const nones = std::count_if(v.begin(), v.end(), [](double x) { return std::isnan(x); });
    auto const sum = [](const std::vector<double>& all) {
      return std::accumulate(all.begin(), all.end(), 0.0, [](double s, double x) { return std::isnan(x) ? s : s + x; });
    };
    double const expected = sum(v);
    std::less<> less;
    sort_numbers(v.begin(), v.end(), less);
    EXPECT_EQ(std::count_if(v.begin(), v.end(), [](double x) { return std::isnan(x); }), nones);
    EXPECT_EQ(sum(v), expected);
  }
}

}  // namespace
}  // namespace amity::algo
