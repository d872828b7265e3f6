#include "amity/algo/by_key.hpp"

#include <list>
#include <memory>
#include <string>

#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;
namespace xp = experimental;

using pairs = std::vector<std::pair<int, std::size_t>>;

TEST(by_key, sorts_both) {
  for_all([](const auto& policy, std::size_t n) {
    for (int below : {2, 100000}) {
      auto keys = numbers(n, below);
      std::vector<std::size_t> values(n);
      pairs expected;
      for (std::size_t i = 0; i < n; ++i) expected.emplace_back(keys[i], values[i] = i);
      std::stable_sort(expected.begin(), expected.end(), [](auto& a, auto& b) { return a.first < b.first; });
      auto const ends = xp::sort_by_key(policy, keys.begin(), keys.end(), values.begin());
      EXPECT_TRUE(ends.first == keys.end() && ends.second == values.end());
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(std::pair(keys[i], values[i]), expected[i]);
      ranges::experimental::sort_by_key(policy, keys, values.begin(), std::greater<>());
      EXPECT_TRUE(std::is_sorted(keys.rbegin(), keys.rend()));
    }
  });
}

TEST(by_key, sorts_what_can_only_be_moved) {
  for (const named_policy& p : policies()) {
    std::vector<std::unique_ptr<int>> keys;
    std::vector<std::string> values;
    for (int x : numbers(3000, 500)) {
      keys.push_back(std::make_unique<int>(x));
      values.push_back("the value of the key " + std::to_string(x));
    }
    ranges::experimental::sort_by_key(p.policy, keys, values.begin(), {}, [](auto& key) { return *key; });
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(values[i], "the value of the key " + std::to_string(*keys[i]));
      ASSERT_TRUE(i == 0 || *keys[i - 1] <= *keys[i]);
    }
  }
}

TEST(by_key, sorts_lists_and_bits) {
  std::list<int> keys{3, 1, 2};
  std::vector<bool> values{true, false, true};
  xp::sort_by_key(ex::par, keys.begin(), keys.end(), values.begin());
  EXPECT_EQ(keys, (std::list<int>{1, 2, 3}));
  EXPECT_EQ(values, (std::vector<bool>{false, true, true}));
}

TEST(by_key, a_comparison_that_throws_leaves_pairs) {
  auto keys = numbers(20000, 1000000), values = keys;
  std::atomic<int> left{30000};
  auto const less = [&](int a, int b) { return --left < 0 ? throw 42 : a < b; };
  EXPECT_THROW(
      xp::sort_by_key(ex::par.with(ex::static_chunk_size(100)), keys.begin(), keys.end(), values.begin(), less),
      exception_list);
  EXPECT_THROW(xp::sort_by_key(keys.begin(), keys.end(), values.begin(), less), int);
  EXPECT_EQ(keys, values);
}

/// Strings show the order in which values are put together.
TEST(by_key, reduces_runs) {
  for_all([](const auto& policy, std::size_t n) {
    for (int run : {1, 2, 100, 1000000}) {
      auto const lengths = numbers(n + 1, run, 7);
      std::vector<int> keys;
      for (int key = 0; keys.size() < n; ++key)
        keys.insert(keys.end(), std::min(n - keys.size(), static_cast<std::size_t>(lengths[keys.size()]) + 1), key % 3);
      auto const values = numbers(n, 10);
      std::vector<int> some(n, -1), expected_keys;
      std::vector<long> sums(n, -1);
      for (std::size_t i = 0; i < n; ++i)
        if (i == 0 || keys[i] != keys[i - 1]) expected_keys.push_back(keys[i]);
      auto const ends = xp::reduce_by_key(policy, keys.begin(), keys.end(), values.begin(), some.begin(), sums.begin());
      auto const runs = static_cast<long>(expected_keys.size());
      EXPECT_EQ(ends.first - some.begin(), runs);
      EXPECT_EQ(ends.second - sums.begin(), runs);
      EXPECT_TRUE(std::equal(expected_keys.begin(), expected_keys.end(), some.begin()));
      if (n > 5000) continue;
      std::vector<std::string> digits, words(n);
      for (int x : values) digits.push_back(std::to_string(x));
      xp::reduce_by_key(policy, keys.begin(), keys.end(), digits.begin(), some.begin(), words.begin());
      std::size_t k = 0;
      for (std::size_t i = 0; i < n; ++k) {
        std::string word;
        long sum = 0;
        std::size_t const begin = i;
        for (; i < n && keys[i] == keys[begin]; ++i) {
          word += digits[i];
          sum += values[i];
        }
        ASSERT_EQ(words[k], word);
        ASSERT_EQ(sums[k], sum);
      }
      EXPECT_EQ(static_cast<long>(k), runs);
    }
  });
}

TEST(by_key, reduces_with_other_functions_and_iterators) {
  std::vector<int> const keys{10, 11, 20, 21, 22, 10}, values{1, 2, 3, 4, 5, 6};
  auto const same_ten = [](int a, int b) { return a / 10 == b / 10; };
  std::vector<int> some, products;
  ranges::experimental::reduce_by_key(ex::par, keys, values.begin(), std::back_inserter(some),
                                      std::back_inserter(products), same_ten, std::multiplies<>());
  EXPECT_EQ(some, (std::vector<int>{10, 20, 10}));
  EXPECT_EQ(products, (std::vector<int>{2, 60, 6}));
  std::list<int> const list(keys.begin(), keys.end());
  std::vector<int> k(6), v(6);
  auto const ends =
      xp::reduce_by_key(ex::par(ex::task), list.begin(), list.end(), values.begin(), k.begin(), v.begin()).get();
  EXPECT_EQ(ends.first - k.begin(), 6);
  auto const throws = [](int, int) -> int { throw 42; };
  std::vector<int> const equal(10000);
  std::vector<int> a(10000), b(10000);
  for (const named_policy& p : policies()) {
    EXPECT_THROW(xp::reduce_by_key(p.policy, equal.begin(), equal.end(), equal.begin(), a.begin(), b.begin(),
                                   std::equal_to<>(), throws),
                 exception_list);
    EXPECT_THROW(xp::reduce_by_key(p.policy, equal.begin(), equal.end(), equal.begin(), a.begin(), b.begin(), throws),
                 exception_list);
  }
}

}  // namespace
}  // namespace amity
