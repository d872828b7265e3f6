#include "amity/algo/sort.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <list>
#include <memory>

#include "amity/algo/test_support.hpp"
#include "amity/finish/finish.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

TEST(sort, random_numbers) {
  for_all([](const auto& policy, std::size_t n) {
    for (int below : {1, 10, 1'000'000'000}) {
      auto v = numbers(n, below), expected = v;
      std::sort(expected.begin(), expected.end());
      amity::sort(policy, v.begin(), v.end());
      ASSERT_EQ(v, expected);
      std::reverse(expected.begin(), expected.end());
      amity::ranges::sort(policy, v, std::greater<>());
      ASSERT_EQ(v, expected);
    }
  });
}

TEST(sort, sorted_reversed_and_organ_pipe) {
  for_all([](const auto& policy, std::size_t n) {
    std::vector<int> up(n), down(n), pipe(n);
    for (std::size_t i = 0; i < n; ++i) {
      up[i] = static_cast<int>(i);
      down[i] = static_cast<int>(n - i);
      pipe[i] = static_cast<int>(std::min(i, n - i));
    }
    for (auto* v : {&up, &down, &pipe}) {
      amity::sort(policy, v->begin(), v->end());
      ASSERT_TRUE(std::is_sorted(v->begin(), v->end()));
    }
  });
}

TEST(sort, nearly_sorted_and_parts_in_order) {
  for_all([](const auto& policy, std::size_t n) {
    if (n < 8) return;
    std::vector<double> last(n), first(n), turned(n), equal(n), steps(n);
    for (std::size_t i = 0; i < n; ++i) {
      last[i] = first[i] = static_cast<double>(i);
      turned[i] = static_cast<double>(n - i);
      equal[i] = static_cast<double>((n - i) / 2);  // descending, with equal ones
      steps[i] = static_cast<double>(i % (n / 4));
    }
    std::swap(last[n - 1], last[n - 2]);
    std::swap(first[0], first[1]);
    std::swap(turned[n / 2], turned[n / 2 + 1]);
    for (auto v : {last, first, turned, equal, steps}) {
      auto expected = v;
      std::sort(expected.begin(), expected.end());
      auto stable = v;
      amity::sort(policy, v.begin(), v.end());
      ASSERT_EQ(v, expected);
      amity::stable_sort(policy, stable.begin(), stable.end());
      ASSERT_EQ(stable, expected);
    }
  });
}

TEST(stable_sort, turns_round_only_what_has_no_equal_elements) {
  using item = std::pair<int, std::size_t>;
  for_all([](const auto& policy, std::size_t n) {
    for (std::size_t same : {1, 2, 100}) {
      std::vector<item> v;
      for (std::size_t i = 0; i < n; ++i) v.emplace_back(-static_cast<int>(i / same), i);
      amity::stable_sort(policy, v.begin(), v.end(), [](const item& a, const item& b) { return a.first < b.first; });
      ASSERT_TRUE(std::is_sorted(v.begin(), v.end()));  // by places, too
    }
  });
}

TEST(sort, strings_in_a_deque_by_an_order_with_state) {
  for_all([](const auto& policy, std::size_t n) {
    if (n > 20000) return;
    std::deque<std::string> d;
    for (int x : numbers(n, 5000)) d.push_back("a prefix that takes more than a small string " + std::to_string(x));
    std::vector<std::string> expected(d.begin(), d.end());
    std::vector<std::size_t> const weight{2, 0, 1};
    auto const less = [weight](const std::string& a, const std::string& b) {
      auto const key = [&](const std::string& s) { return std::pair(weight[s.size() % 3], s); };
      return key(a) < key(b);
    };
    std::sort(expected.begin(), expected.end(), less);
    amity::sort(policy, d.begin(), d.end(), less);
    ASSERT_TRUE(std::equal(d.begin(), d.end(), expected.begin(), expected.end()));
  });
}

TEST(sort, elements_that_can_only_be_moved) {
  for_all([](const auto& policy, std::size_t n) {
    std::vector<std::unique_ptr<int>> v;
    for (int x : numbers(n, 1000)) v.push_back(std::make_unique<int>(x));
    amity::sort(policy, v.begin(), v.end(), [](const auto& a, const auto& b) { return *a < *b; });
    ASSERT_TRUE(std::is_sorted(v.begin(), v.end(), [](const auto& a, const auto& b) { return *a < *b; }));
  });
}

TEST(stable_sort, keeps_the_order_of_equals) {
  using item = std::pair<int, int>;
  auto const by_key = [](const item& a, const item& b) { return a.first < b.first; };
  for_all([&](const auto& policy, std::size_t n) {
    for (int below : {1, 7, 1000}) {
      std::vector<item> v;
      for (int x : numbers(n, below)) v.emplace_back(x, static_cast<int>(v.size()));
      auto expected = v;
      std::stable_sort(expected.begin(), expected.end(), by_key);
      amity::stable_sort(policy, v.begin(), v.end(), by_key);
      ASSERT_EQ(v, expected);
    }
  });
}

TEST(stable_sort, elements_whose_moves_may_throw_are_left_to_std) {
  struct careful {
    int value;
    explicit careful(int v) : value(v) {}
    careful(careful&& other) : value(other.value) {}
    careful& operator=(careful&& other) {
      value = other.value;
      return *this;
    }
    bool operator<(const careful& other) const { return value < other.value; }
  };
  std::vector<careful> v;
  for (int x : numbers(3000, 1000)) v.emplace_back(x);
  amity::stable_sort(ex::par.with(ex::static_chunk_size(100)), v.begin(), v.end());
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
}

TEST(partial_sort, the_smallest_in_order) {
  for_all([](const auto& policy, std::size_t n) {
    for (std::size_t m : {std::size_t{0}, n / 10, n / 2, n}) {
      auto v = numbers(n, 1000), sorted = v;
      std::sort(sorted.begin(), sorted.end());
      std::vector<int> out(m + 3);
      auto const end =
          amity::partial_sort_copy(policy, v.begin(), v.end(), out.begin(), out.begin() + static_cast<long>(m));
      ASSERT_EQ(end - out.begin(), static_cast<long>(m));
      ASSERT_TRUE(std::equal(out.begin(), end, sorted.begin()));
      amity::partial_sort(policy, v.begin(), v.begin() + static_cast<long>(m), v.end());
      ASSERT_TRUE(std::equal(v.begin(), v.begin() + static_cast<long>(m), sorted.begin()));
      std::sort(v.begin(), v.end());
      ASSERT_EQ(v, sorted);
    }
  });
}

TEST(partial_sort, few_of_many) {
  std::size_t const n = 60000;
  for (const named_policy& p : policies())
    for (int below : {1, 5, 1'000'000'000})
      for (long m : {1L, 7L, 50L}) {
        SCOPED_TRACE(std::string(p.name) + ", " + std::to_string(m) + " of numbers below " + std::to_string(below));
        auto v = numbers(n, below), sorted = v;
        std::sort(sorted.begin(), sorted.end());
        std::rotate(v.begin(), v.begin() + static_cast<long>(n / 3), v.end());
        amity::partial_sort(p.policy, v.begin(), v.begin() + m, v.end());
        ASSERT_TRUE(std::equal(v.begin(), v.begin() + m, sorted.begin()));
        std::sort(v.begin(), v.end());
        ASSERT_EQ(v, sorted);
      }
}

// What partitions badly, and mixtures of zeros and of what is no number: none may get lost.
TEST(sort, numbers_that_are_bad_for_pivots) {
  std::size_t const n = 50000;
  double const none = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::vector<double>> inputs(7, std::vector<double>(n));
  auto const random = numbers(n, 1'000'000'000);
  for (std::size_t i = 0; i < n; ++i) {
    double const x = random[i];
    inputs[0][i] = i % 2 == 0 ? 0.0 : x;
    inputs[1][i] = i % 100 == 0 ? x : 5.0;
    inputs[2][i] = x < 500'000'000 ? -0.0 : 0.0;
    inputs[3][i] = static_cast<double>(i * 7919 % 17);
    inputs[4][i] = i < n / 2 ? x : -x;
    inputs[5][i] = std::ldexp(1.0, random[i] % 2000 - 1000);
    inputs[6][i] = i % 3 == 0 ? none : x;
  }
  for (const named_policy& p : policies())
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      SCOPED_TRACE(std::string(p.name) + ", input " + std::to_string(k));
      auto v = inputs[k];
      amity::sort(p.policy, v.begin(), v.end());
      if (k < 6) {
        ASSERT_TRUE(std::is_sorted(v.begin(), v.end()));
      }
      auto const bits = [](const std::vector<double>& of) {
        std::vector<std::uint64_t> all;
        for (double const x : of) all.push_back(std::bit_cast<std::uint64_t>(x));
        std::sort(all.begin(), all.end());
        return all;
      };
      ASSERT_EQ(bits(v), bits(inputs[k]));
    }
}

TEST(stable_sort, whole_numbers_and_zeros_of_both_signs) {
  for_all([](const auto& policy, std::size_t n) {
    auto whole = numbers(n, 1000), expected = whole;
    std::stable_sort(expected.begin(), expected.end(), std::greater<>());
    amity::stable_sort(policy, whole.begin(), whole.end(), std::greater<>());
    ASSERT_EQ(whole, expected);
    std::vector<double> zeros(n);
    for (std::size_t i = 0; i < n; ++i) zeros[i] = expected[i] % 2 == 0 ? 0.0 : -0.0;
    std::vector<double> const before = zeros;
    amity::stable_sort(policy, zeros.begin(), zeros.end());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(std::signbit(zeros[i]), std::signbit(before[i])) << i;
  });
}

TEST(sort, a_comparison_that_throws_loses_no_memory) {
  for (const named_policy& p : policies())
    for (int after : {0, 100, 30000, 60000}) {
      std::vector<std::string> v;
      for (int x : numbers(5000, 1000000)) v.push_back("more than a small string holds " + std::to_string(x));
      std::atomic<int> left{after};
      bool thrown = false;
      try {
        amity::sort(p.policy, v.begin(), v.end(), [&](const std::string& a, const std::string& b) {
          if (--left < 0) throw 42;
          return a < b;
        });
      } catch (const exception_list&) {
        thrown = true;
      }
      EXPECT_EQ(thrown, left < 0) << p.name;
    }
}

TEST(sort, orders_that_are_none_do_no_harm) {
  std::vector<float> v;
  for (int x : numbers(20000, 1000)) v.push_back(static_cast<float>(x));
  for (const named_policy& p : policies()) {
    auto copy = v;
    amity::sort(p.policy, copy.begin(), copy.end(),
                [](float a, float b) { return a + 1 < b; });  // 1, 2, 3: no strict weak order
    std::sort(copy.begin(), copy.end());
    auto sorted = v;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(copy.size(), sorted.size());
  }
}

TEST(sort, several_at_a_time_in_tasks) {
  finish([] {
    for (unsigned t = 0; t < 6; ++t)
      async([t] {
        auto v = numbers(20000, 1000000, t);
        amity::sort(ex::par, v.begin(), v.end());
        EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
      });
  });
}

TEST(sort, without_a_policy_and_as_a_future) {
  auto v = numbers(10000, 1000);
  amity::sort(ex::par(ex::task), v.begin(), v.end()).get();
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
  amity::sort(v.begin(), v.end(), std::greater<>());
  EXPECT_TRUE(std::is_sorted(v.rbegin(), v.rend()));
  amity::ranges::stable_sort(v);
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
}

TEST(partial_sort_copy, truth_values) {
  std::vector<bool> v;
  for (int x : numbers(3000, 2)) v.push_back(x == 1);
  std::vector<char> out(1600), expected(1600);
  std::partial_sort_copy(v.begin(), v.end(), expected.begin(), expected.end());
  for (const named_policy& p : policies()) {
    amity::partial_sort_copy(p.policy, v.cbegin(), v.cend(), out.begin(), out.end());
    EXPECT_EQ(out, expected) << p.name;
  }
}

}  // namespace
}  // namespace amity
