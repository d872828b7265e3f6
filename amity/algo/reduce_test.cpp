#include "amity/algo/reduce.hpp"

#include <deque>
#include <list>
#include <memory>
#include <ranges>

#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

TEST(reduce, sums) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 1000);
    EXPECT_EQ(amity::reduce(policy, v.begin(), v.end(), 5L), std::accumulate(v.begin(), v.end(), 5L));
    EXPECT_EQ(amity::reduce(policy, v.begin(), v.end()), std::accumulate(v.begin(), v.end(), 0));
    EXPECT_EQ(amity::ranges::reduce(policy, v, 1, std::bit_xor<>()),
              std::accumulate(v.begin(), v.end(), 1, std::bit_xor<>()));
  });
}

TEST(reduce, the_operation_need_not_be_commutative) {
  for_all([](const auto& policy, std::size_t n) {
    if (n > 20000) return;
    std::vector<std::string> v;
    for (int x : numbers(n, 26)) v.emplace_back(1, static_cast<char>('a' + x));
    EXPECT_EQ(amity::reduce(policy, v.begin(), v.end(), std::string(">")),
              std::accumulate(v.begin(), v.end(), std::string(">")));
  });
}

TEST(reduce, small_elements_do_not_overflow_a_large_sum) {
  std::vector<int> const v(1000, 2'000'000'000);
  for (const named_policy& p : policies())
    EXPECT_EQ(amity::reduce(p.policy, v.begin(), v.end(), 0L), 2'000'000'000'000L) << p.name;
}

TEST(reduce, values_that_can_only_be_moved) {
  for (const named_policy& p : policies()) {
    std::vector<int> const v(3000, 2);
    auto const total = amity::transform_reduce(
        p.policy, v.begin(), v.end(), std::make_unique<int>(1),
        [](std::unique_ptr<int> a, std::unique_ptr<int> b) { return std::make_unique<int>(*a + *b); },
        [](int x) { return std::make_unique<int>(x); });
    EXPECT_EQ(*total, 6001);
  }
}

TEST(reduce, of_a_fixed_chunk_size_gives_the_same_rounding_each_time) {
  std::vector<double> v;
  for (int x : numbers(50000, 1 << 30)) v.push_back(x / 7.0);
  auto const policy = ex::par.with(ex::static_chunk_size(1000));
  double const first = amity::reduce(policy, v.begin(), v.end(), 0.0);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(amity::reduce(policy, v.begin(), v.end(), 0.0), first);
}

TEST(transform_reduce, one_range_and_two) {
  for_all([](const auto& policy, std::size_t n) {
    auto const a = numbers(n, 1000), b = numbers(n, 1000, 2);
    auto const square = [](int x) { return static_cast<long>(x) * x; };
    EXPECT_EQ(amity::transform_reduce(policy, a.begin(), a.end(), 3L, std::plus<>(), square),
              std::transform_reduce(a.begin(), a.end(), 3L, std::plus<>(), square));
    EXPECT_EQ(amity::transform_reduce(policy, a.begin(), a.end(), b.begin(), 3L),
              std::transform_reduce(a.begin(), a.end(), b.begin(), 3L));
    EXPECT_EQ(amity::ranges::transform_reduce(policy, a, b.begin(), 3L, std::plus<>(), std::minus<>()),
              std::transform_reduce(a.begin(), a.end(), b.begin(), 3L, std::plus<>(), std::minus<>()));
  });
}

TEST(count, values_and_predicates) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 5);
    std::deque<int> const d(v.begin(), v.end());
    std::list<int> const l(v.begin(), v.end());
    auto const threes = std::count(v.begin(), v.end(), 3);
    EXPECT_EQ(amity::count(policy, v.begin(), v.end(), 3), threes);
    EXPECT_EQ(amity::ranges::count(policy, d, 3), threes);
    EXPECT_EQ(amity::count(policy, l.begin(), l.end(), 3), threes);
    EXPECT_EQ(amity::count_if(policy, v.begin(), v.end(), is_even), std::count_if(v.begin(), v.end(), is_even));
  });
}

TEST(count, views) {
  auto const squares = std::views::iota(0, 10000) | std::views::transform([](int x) { return x % 7; });
  EXPECT_EQ(amity::ranges::count(ex::par.with(ex::static_chunk_size(100)), squares, 3), 1429);
  auto const some = std::views::iota(1) | std::views::take_while([](int x) { return x < 100; });
  EXPECT_EQ(amity::ranges::count_if(ex::par, some, is_even), 49);
}

TEST(reduce, futures_and_sequential_forms) {
  std::vector<int> const v(1000, 3);
  EXPECT_EQ(amity::reduce(ex::par(ex::task), v.begin(), v.end(), 0).get(), 3000);
  EXPECT_EQ(amity::reduce(ex::seq(ex::task), v.begin(), v.end(), 0).get(), 3000);
  EXPECT_EQ(amity::reduce(v.begin(), v.end()), 3000);
  EXPECT_EQ(amity::count(v.begin(), v.end(), 3), 1000);
  EXPECT_EQ(amity::ranges::transform_reduce(v, 0, std::plus<>(), std::negate<>()), -3000);
}

TEST(reduce, exceptions_come_out) {
  auto const v = numbers(10000, 1000);
  for (const named_policy& p : policies())
    EXPECT_THROW(amity::transform_reduce(p.policy, v.begin(), v.end(), 0, std::plus<>(),
                                         [](int x) -> int {
                                           if (x == 500) throw std::runtime_error("planted");
                                           return x;
                                         }),
                 std::runtime_error)
        << p.name;
}

}  // namespace
}  // namespace amity
