#include "amity/algo/reduce_deterministic.hpp"

#include <bit>
#include <list>
#include <string>

#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;
using experimental::reduce_deterministic;

/// Numbers whose sum depends on the order of additions.
std::vector<double> fractions(std::size_t n) {
  std::mt19937_64 random(n + 1);
  std::uniform_real_distribution<double> pick(-1, 1);
  std::vector<double> v(n);
  for (double& x : v) x = pick(random) * (random() % 2 == 0 ? 1e10 : 1);
  return v;
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

TEST(reduce_deterministic, the_same_bits_whoever_adds) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = fractions(n);
    double const alone = reduce_deterministic(v.begin(), v.end(), 0.5);
    EXPECT_EQ(bits(reduce_deterministic(policy, v.begin(), v.end(), 0.5)), bits(alone));
    EXPECT_EQ(bits(ranges::experimental::reduce_deterministic(ex::seq, v, 0.5)), bits(alone));
    std::list<double> const list(v.begin(), v.end());
    EXPECT_EQ(bits(reduce_deterministic(policy, list.begin(), list.end(), 0.5)), bits(alone));
    long double exact = 0.5;
    for (double x : v) exact += x;
    EXPECT_NEAR(alone, static_cast<double>(exact), 1e-1);
  });
}

TEST(reduce_deterministic, the_order_of_the_range) {
  for_all([](const auto& policy, std::size_t n) {
    if (n > 10007) return;
    std::vector<std::string> v;
    for (int x : numbers(n, 1000)) v.push_back(std::to_string(x) + ' ');
    std::string all = "begin ";
    for (const auto& s : v) all += s;
    EXPECT_EQ(reduce_deterministic(policy, v.begin(), v.end(), std::string("begin ")), all);
  });
  std::vector<long> const none;
  EXPECT_EQ(reduce_deterministic(ex::par, none.begin(), none.end()), 0);
  std::vector<int> const few{1, 2, 3};
  EXPECT_EQ(reduce_deterministic(ex::par(ex::task), few.begin(), few.end(), 2L, std::multiplies<>()).get(), 12);
}

TEST(reduce_deterministic, exceptions) {
  std::vector<int> const v(100000, 1);
  auto const op = [](int a, int b) { return a > 3000 ? throw 42 : a + b; };
  EXPECT_THROW(reduce_deterministic(ex::par.with(ex::static_chunk_size(1)), v.begin(), v.end(), 0, op), exception_list);
  EXPECT_THROW(reduce_deterministic(v.begin(), v.end(), 0, op), int);
}

}  // namespace
}  // namespace amity
