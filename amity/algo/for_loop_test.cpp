#include "amity/algo/for_loop.hpp"

#include <forward_list>
#include <limits>
#include <list>
#include <numeric>

#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

TEST(for_loop, numbers_of_any_type) {
  for_all([](const auto& policy, std::size_t n) {
    std::vector<int> hits(n);
    amity::for_loop(policy, 0, n, [&](std::size_t i) { ++hits[i]; });
    amity::for_loop(policy, 0u, static_cast<long>(n), [&](long i) { ++hits[static_cast<std::size_t>(i)]; });
    amity::for_loop_n(policy, -5, n, [&](int i) { ++hits[static_cast<std::size_t>(i + 5)]; });
    EXPECT_EQ(hits, std::vector<int>(n, 3));
  });
}

TEST(for_loop, borders_of_types) {
  for (const named_policy& p : policies()) {
    std::atomic<int> calls{0};
    amity::for_loop(p.policy, std::int8_t{-128}, std::int8_t{127}, [&](std::int8_t i) { calls += i < 127 ? 1 : 1000; });
    EXPECT_EQ(calls.exchange(0), 255);
    amity::for_loop_n(p.policy, std::uint8_t{250}, 6, [&](std::uint8_t i) { calls += i >= 250 ? 1 : 1000; });
    EXPECT_EQ(calls.exchange(0), 6);
    auto const top = std::numeric_limits<std::uint64_t>::max();
    amity::for_loop(p.policy, top - 100, top, [&](std::uint64_t i) { calls += i >= top - 100 && i < top ? 1 : 1000; });
    EXPECT_EQ(calls.exchange(0), 100);
    amity::for_loop(p.policy, 5, 5, [&](int) { ++calls; });
    amity::for_loop(p.policy, 5, -5, [&](int) { ++calls; });
    amity::for_loop_n(p.policy, 5, -5, [&](int) { ++calls; });
    EXPECT_EQ(calls, 0);
  }
}

TEST(for_loop, iterators_are_passed_on) {
  for (const named_policy& p : policies()) {
    std::vector<int> v(1000, 1);
    amity::for_loop(p.policy, v.begin(), v.end(), [](auto it) { *it = 2; });
    amity::ranges::for_loop(p.policy, v, [](auto it) { *it += 1; });
    EXPECT_EQ(v, std::vector<int>(1000, 3));
    std::list<int> list(1000, 1);
    amity::for_loop(p.policy, list.begin(), list.end(), [](auto it) { *it = 2; });
    EXPECT_EQ(std::accumulate(list.begin(), list.end(), 0), 2000);
  }
}

TEST(for_loop, strides_up_and_down) {
  for (const named_policy& p : policies())
    for (int stride : {1, 2, 3, 7, 100, 1001, -1, -2, -5, -1000}) {
      SCOPED_TRACE(std::string(p.name) + ", stride " + std::to_string(stride));
      int const first = stride > 0 ? -3 : 1000, last = stride > 0 ? 1000 : -3;
      std::vector<int> expected(2000), seen(2000);
      for (int i = first; stride > 0 ? i < last : i > last; i += stride) ++expected[static_cast<std::size_t>(i + 10)];
      amity::for_loop_strided(p.policy, first, last, stride, [&](int i) { ++seen[static_cast<std::size_t>(i + 10)]; });
      EXPECT_EQ(seen, expected);
    }
  std::vector<int> v(100);
  amity::for_loop_strided(ex::par, v.begin(), v.end(), 3, [](auto it) { *it = 1; });
  amity::for_loop_n_strided(ex::par, 1, 33, 3, [&](int i) { v[static_cast<std::size_t>(i)] = 2; });
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(v[i], i % 3 == 0 ? 1 : i % 3 == 1 ? 2 : 0) << i;
}

TEST(for_loop, reductions_keep_their_order) {
  for_all([](const auto& policy, std::size_t n) {
    if (n > 20000) return;
    std::string text = "<", expected = "<";
    for (std::size_t i = 0; i < n; ++i) expected += static_cast<char>('a' + i % 26);
    amity::for_loop(policy, std::size_t{0}, n, reduction(text, std::string(), std::plus<>()),
                    [](std::size_t i, std::string& s) { s += static_cast<char>('a' + i % 26); });
    EXPECT_EQ(text, expected);
  });
}

TEST(for_loop, named_reductions) {
  for (const named_policy& p : policies()) {
    long sum = 10, product = 1, least = 5, largest = 5;
    unsigned all = ~0u, any = 0, odd = 0;
    amity::for_loop(p.policy, 1, 21, reduction_plus(sum), reduction_multiplies(product), reduction_min(least),
                    reduction_max(largest), reduction_bit_and(all), reduction_bit_or(any), reduction_bit_xor(odd),
                    [](int i, long& s, long& m, long& low, long& high, unsigned& a, unsigned& o, unsigned& x) {
                      s += i;
                      m *= i % 3 + 1;
                      low = std::min<long>(low, i - 4);
                      high = std::max<long>(high, i);
                      a &= ~static_cast<unsigned>(i);
                      o |= static_cast<unsigned>(i);
                      x ^= static_cast<unsigned>(i);
                    });
    EXPECT_EQ(sum, 220) << p.name;
    long expected = 1;
    for (int i = 1; i < 21; ++i) expected *= i % 3 + 1;
    EXPECT_EQ(product, expected);
    EXPECT_EQ(least, -3);
    EXPECT_EQ(largest, 20);
    EXPECT_EQ(all, ~31u);
    EXPECT_EQ(any, 31u);
    EXPECT_EQ(odd, 20u);
  }
}

TEST(for_loop, inductions) {
  for_all([](const auto& policy, std::size_t n) {
    long running = 7;
    const int* place = nullptr;
    std::vector<int> const v = numbers(n + 1, 100);
    place = v.data();
    std::atomic<int> wrong{0};
    amity::for_loop(policy, 0, static_cast<int>(n), induction(running, 3), induction(100L), induction(0.5, 0.25),
                    induction(place), [&](int i, long r, long h, double d, const int* at) {
                      if (r != 7 + 3L * i || h != 100 + i || d != 0.5 + 0.25 * i || at != v.data() + i) ++wrong;
                    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(running, 7 + 3 * static_cast<long>(n));
    EXPECT_EQ(place, v.data() + n);
  });
}

TEST(for_loop, without_a_policy_and_as_a_future) {
  std::vector<int> order;
  amity::for_loop(0, 5, [&](int i) { order.push_back(i); });
  amity::for_loop_n(5, 2, [&](int i) { order.push_back(i); });
  amity::experimental::for_loop_strided(ex::seq, 7, 12, 2, [&](int i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 9, 11}));
  double sum = 0;
  auto later =
      amity::for_loop(ex::par(ex::task), 0, 1000, reduction(sum, 0, std::plus<>()), [](int i, double& s) { s += i; });
  later.get();
  EXPECT_EQ(sum, 499500);
}

TEST(for_loop, nested) {
  std::vector<int> grid(200 * 300);
  amity::for_loop(ex::par, 0, 200, [&](int i) {
    amity::for_loop(ex::par.with(ex::static_chunk_size(17)), 0, 300,
                    [&, i](int j) { ++grid[static_cast<std::size_t>(i * 300 + j)]; });
  });
  EXPECT_EQ(grid, std::vector<int>(200 * 300, 1));
}

TEST(for_loop, iterators_of_lists) {
  for (const named_policy& p : policies())
    for (long n : {0, 1, 2, 999, 1000}) {
      std::list<int> l(static_cast<std::size_t>(n), 0);
      std::forward_list<int> f(static_cast<std::size_t>(n), 0);
      amity::for_loop(p.policy, l.begin(), l.end(), [](auto it) { *it += 1; });
      amity::for_loop_n(p.policy, f.begin(), n, [](auto it) { *it += 1; });
      amity::for_loop_strided(p.policy, f.begin(), f.end(), 3, [](auto it) { *it += 10; });
      if (n != 0) {
        amity::for_loop_strided(p.policy, std::prev(l.end()), l.begin(), -3, [](auto it) { *it += 10; });
        amity::for_loop_n_strided(p.policy, l.begin(), (n + 1) / 2, 2, [](auto it) { *it += 100; });
      }
      long i = 0;
      for (int x : l) {
        bool const from_behind = (n - 1 - i) % 3 == 0 && i != 0;  // the bound is left out
        EXPECT_EQ(x, 1 + (from_behind ? 10 : 0) + (i % 2 == 0 ? 100 : 0)) << p.name << ", " << i << " of " << n;
        ++i;
      }
      i = 0;
      for (int x : f) EXPECT_EQ(x, i++ % 3 == 0 ? 11 : 1) << p.name;
    }
  std::list<int> l(5, 1);
  int sum = 0;
  amity::for_loop_n(l.begin(), 5, [&](auto it) { sum += *it; });
  amity::for_loop_strided(l.begin(), l.end(), 4, [&](auto it) { sum += *it; });
  EXPECT_EQ(sum, 7);
}

TEST(for_loop, small_numbers_begin_again) {
  for (const named_policy& p : policies()) {
    std::atomic<int> calls{0}, zeros{0};
    amity::for_loop_n(p.policy, std::uint8_t{0}, 600, [&](std::uint8_t i) {
      ++calls;
      if (i == 0) ++zeros;
    });
    EXPECT_EQ(calls, 600) << p.name;
    EXPECT_EQ(zeros, 3) << p.name;
    calls = 0;
    amity::for_loop_n(p.policy, std::int8_t{-128}, 256, [&](std::int8_t) { ++calls; });
    EXPECT_EQ(calls, 256) << p.name;
  }
}

TEST(for_loop, reductions_and_inductions_through_lists) {
  for (const named_policy& p : policies())
    for (long n : {0, 1, 2, 999, 1000}) {
      std::forward_list<std::string> words;
      for (long i = n; i-- > 0;) words.push_front(std::to_string(i) + " ");
      std::string all = "|", expected = "|";
      for (const std::string& w : words) expected += w;
      long place = 0;
      std::atomic<int> wrong{0};
      amity::for_loop(p.policy, words.begin(), words.end(), reduction(all, std::string(), std::plus<>()),
                      induction(place), [&](auto it, std::string& part, long at) {
                        part += *it;
                        if (*it != std::to_string(at) + " ") ++wrong;
                      });
      EXPECT_EQ(all, expected) << p.name << ", " << n;
      EXPECT_EQ(place, n) << p.name;
      EXPECT_EQ(wrong, 0) << p.name;
      long sum = 0;
      amity::for_loop_strided(p.policy, words.begin(), words.end(), 2, reduction_plus(sum), induction(0, 2),
                              [&](auto it, long& s, int at) { s += std::stol(*it) == at ? 1 : 1000; });
      EXPECT_EQ(sum, (n + 1) / 2) << p.name;
    }
}

}  // namespace
}  // namespace amity
