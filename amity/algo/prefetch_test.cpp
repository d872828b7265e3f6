#include "amity/algo/prefetch.hpp"

#include <gtest/gtest.h>

#include <list>
#include <numeric>
#include <utility>
#include <vector>

#include "amity/algo/for_each.hpp"
#include "amity/algo/reduce.hpp"
#include "amity/algo/scan.hpp"
#include "amity/algo/test_support.hpp"
#include "amity/algo/transform.hpp"

namespace amity {
namespace {

using algo::index;
using algo::prefetcher;

index const endless = index{1} << 40;  // elements of a range that is long by any measure

template <class... It>
std::vector<std::pair<index, index>> steps_of(const prefetcher<It...>& p, index from, index to) {
  std::vector<std::pair<index, index>> steps;
  p.asking().steps(from, to, [&](index begin, index end) { steps.emplace_back(begin, end); });
  return steps;
}

TEST(Prefetch, StepsMakeUpTheRangeInOrder) {
  std::vector<double> const v(3000);
  std::vector<char> const c(3000);
  for (index n : {1, 2, 127, 128, 639, 640, 641, 1000, 3000}) {
    index at = 0;
    for (auto [begin, end] : steps_of(prefetcher(endless, v.begin(), c.begin()), 0, n)) {
      EXPECT_EQ(begin, at);
      EXPECT_GT(end, begin);
      at = end;
    }
    EXPECT_EQ(at, n);
  }
}

TEST(Prefetch, StepsAreShortUntilAPageBeforeTheEnd) {
  std::vector<double> const v(3000);
  auto const steps = steps_of(prefetcher(endless, v.data()), 0, 3000);
  std::size_t const page = algo::bytes_ahead / sizeof(double), at_once = algo::bytes_at_once / sizeof(double);
  ASSERT_GT(steps.size(), 10u);
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) EXPECT_EQ(steps[i].second - steps[i].first, at_once);
  EXPECT_LE(steps.back().second - steps.back().first, page + at_once);
}

TEST(Prefetch, ShortRangesTakeOneStep) {
  std::vector<double> const v(3000);
  int steps = 0;
  prefetcher(v.size(), v.begin()).steps(0, v.size(), [&](index, index) { ++steps; });
  EXPECT_EQ(steps, 1);
  EXPECT_TRUE(steps_of(prefetcher(v.size(), v.begin()), 7, 7).empty());
}

TEST(Prefetch, AsksWhereItPaysOnly) {
  std::vector<double> const v(3000);
  int steps = 0;
  prefetcher(endless, v.begin()).steps(0, v.size(), [&](index, index) { ++steps; });
  EXPECT_EQ(steps > 1, algo::prefetch_pays());
}

TEST(Prefetch, OneStepForThoseOfOtherIteratorsAndOfLargeElements) {
  struct large {
    char bytes[algo::bytes_of_line + 1];
  };
  std::vector<large> const v(3000);
  std::list<double> const l(3000);
  std::vector<bool> const b(3000);
  EXPECT_EQ(steps_of(prefetcher(endless, v.begin()), 0, 3000).size(), 1u);
  EXPECT_EQ(steps_of(prefetcher(endless, l.begin(), b.begin()), 0, 3000).size(), 1u);
  EXPECT_EQ(steps_of(prefetcher<>(endless), 0, 3000).size(), 1u);
}

// Arrays that are longer than `bytes_in_cache`, with and without helpers.
template <class Policy>
void expect_right_results(const Policy& policy) {
  index const n = algo::bytes_in_cache / sizeof(int) + 4321;
  std::vector<int> x(n), y(n);
  std::iota(x.begin(), x.end(), -1000);

  transform(policy, x.begin(), x.end(), y.begin(), [](int i) { return i ^ 5; });
  index wrong = 0;
  for (index i = 0; i < n; ++i) wrong += y[i] == (x[i] ^ 5) ? 0 : 1;
  EXPECT_EQ(wrong, 0u);

  for_each(policy, y.begin(), y.end(), [](int& i) { i = (i ^ 5) % 17; });
  long long sum = 0, products = 0;
  for (index i = 0; i < n; ++i) {
    wrong += y[i] == x[i] % 17 ? 0 : 1;
    sum += y[i];
    products += static_cast<long long>(x[i]) * y[i];
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(reduce(policy, y.begin(), y.end(), 3LL), sum + 3);
  EXPECT_EQ(transform_reduce(policy, x.begin(), x.end(), y.begin(), 0LL, std::plus<>(),
                             [](int a, int b) { return static_cast<long long>(a) * b; }),
            products);

  inclusive_scan(policy, y.begin(), y.end(), x.begin(), std::plus<>(), 1);
  exclusive_scan(policy, y.begin(), y.end(), y.begin(), 1);
  int last = 1;
  for (index i = 0; i < n; ++i) {
    wrong += y[i] == last ? 0 : 1;
    last = x[i];
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(last, static_cast<int>(sum + 1));
}

TEST(Prefetch, LongArraysByAll) { expect_right_results(execution::par); }
TEST(Prefetch, LongArraysByOne) { expect_right_results(execution::seq); }

}  // namespace
}  // namespace amity
