#include "amity/algo/projection.hpp"

#include <algorithm>
#include <cstdlib>
#include <list>
#include <memory>
#include <string>

#include "amity/algo/compare.hpp"
#include "amity/algo/copy.hpp"
#include "amity/algo/filter.hpp"
#include "amity/algo/find.hpp"
#include "amity/algo/for_each.hpp"
#include "amity/algo/merge.hpp"
#include "amity/algo/minmax.hpp"
#include "amity/algo/partitioning.hpp"
#include "amity/algo/reduce.hpp"
#include "amity/algo/set_operations.hpp"
#include "amity/algo/sort.hpp"
#include "amity/algo/test_support.hpp"
#include "amity/algo/transform.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

struct item {
  int key = 0;
  std::size_t place = 0;
  [[nodiscard]] std::string name() const { return "the item with the key " + std::to_string(key); }
  bool operator==(const item&) const = default;
};

std::vector<item> items(std::size_t n, int below, unsigned seed = 1) {
  std::vector<item> all;
  for (int x : numbers(n, below, seed)) all.push_back({x, all.size()});
  return all;
}

bool by_key(const item& a, const item& b) { return a.key < b.key; }

TEST(projection, orders) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = items(n, 100);
    auto expected = v;
    std::stable_sort(expected.begin(), expected.end(), by_key);
    auto a = v;
    amity::ranges::stable_sort(policy, a, {}, &item::key);
    EXPECT_EQ(a, expected);
    a = v;
    amity::ranges::stable_sort(policy, a.begin(), a.end(), {}, &item::key);
    EXPECT_EQ(a, expected);
    EXPECT_TRUE(amity::ranges::is_sorted(policy, a, {}, &item::key));
    amity::ranges::sort(policy, a, std::greater<>(), &item::key);
    EXPECT_TRUE(std::is_sorted(a.rbegin(), a.rend(), by_key));
    EXPECT_EQ(amity::ranges::min_element(policy, v, {}, &item::key) - v.begin(),
              std::min_element(v.begin(), v.end(), by_key) - v.begin());
    EXPECT_EQ(amity::ranges::max_element(policy, v, {}, &item::key) - v.begin(),
              std::max_element(v.begin(), v.end(), by_key) - v.begin());
    auto const [min, max] = amity::ranges::minmax_element(policy, v, {}, &item::key);
    EXPECT_EQ(std::pair(min, max), std::minmax_element(v.begin(), v.end(), by_key));
    if (n == 0) return;
    a = v;
    auto const middle = static_cast<long>(n / 2);
    amity::ranges::nth_element(policy, a, a.begin() + middle, {}, &item::key);
    EXPECT_EQ(a[n / 2].key, expected[n / 2].key);
    a = v;
    amity::ranges::partial_sort(policy, a, a.begin() + middle, {}, &item::key);
    EXPECT_TRUE(std::equal(a.begin(), a.begin() + middle, expected.begin(),
                           [](const item& x, const item& y) { return x.key == y.key; }));
  });
}

TEST(projection, predicates_and_values) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = items(n, 10);
    auto const is_three = [](const item& x) { return x.key == 3; };
    auto const even = [](const item& x) { return is_even(x.key); };
    EXPECT_EQ(amity::ranges::find(policy, v, 3, &item::key), std::find_if(v.begin(), v.end(), is_three));
    EXPECT_EQ(amity::ranges::find_if(policy, v, is_even, &item::key), std::find_if(v.begin(), v.end(), even));
    EXPECT_EQ(amity::ranges::count(policy, v, 3, &item::key), std::count_if(v.begin(), v.end(), is_three));
    EXPECT_EQ(amity::ranges::count_if(policy, v, is_even, &item::key), std::count_if(v.begin(), v.end(), even));
    EXPECT_EQ(amity::ranges::all_of(policy, v, is_even, &item::key), std::all_of(v.begin(), v.end(), even));
    EXPECT_EQ(amity::ranges::any_of(policy, v, is_even, &item::key), std::any_of(v.begin(), v.end(), even));
    EXPECT_EQ(amity::ranges::none_of(policy, v, is_even, &item::key), std::none_of(v.begin(), v.end(), even));
    auto a = v, b = v;
    a.erase(amity::ranges::remove(policy, a, 3, &item::key).begin(), a.end());
    b.erase(std::remove_if(b.begin(), b.end(), is_three), b.end());
    EXPECT_EQ(a, b);
    a.erase(amity::ranges::remove_if(policy, a, is_even, &item::key).begin(), a.end());
    b.erase(std::remove_if(b.begin(), b.end(), even), b.end());
    EXPECT_EQ(a, b);
    a = b = v;
    a.erase(amity::ranges::unique(policy, a, {}, &item::key).begin(), a.end());
    b.erase(std::unique(b.begin(), b.end(), [](const item& x, const item& y) { return x.key == y.key; }), b.end());
    EXPECT_EQ(a, b);
    a = b = v;
    EXPECT_EQ(amity::ranges::stable_partition(policy, a, is_even, &item::key).begin() - a.begin(),
              std::stable_partition(b.begin(), b.end(), even) - b.begin());
    EXPECT_EQ(a, b);
    std::vector<item> out(n), expected(n);
    auto const end = amity::ranges::copy_if(policy, v, out.begin(), is_even, &item::key).out;
    EXPECT_EQ(end - out.begin(), std::copy_if(v.begin(), v.end(), expected.begin(), even) - expected.begin());
    EXPECT_EQ(out, expected);
  });
}

TEST(projection, of_two_ranges) {
  for_all([](const auto& policy, std::size_t n) {
    auto a = items(n, 1000), b = items(n / 2, 1000, 2);
    std::stable_sort(a.begin(), a.end(), by_key);
    std::stable_sort(b.begin(), b.end(), by_key);
    std::vector<item> out(a.size() + b.size()), expected(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), by_key);
    amity::ranges::merge(policy, a, b, out.begin(), {}, &item::key, &item::key);
    EXPECT_EQ(out, expected);
    std::vector<int> keys(n), negative(b.size());
    amity::ranges::transform(policy, a, keys.begin(), std::identity(), &item::key);
    EXPECT_TRUE(amity::ranges::equal(policy, a, keys, {}, &item::key, std::identity()));
    if (n != 0) ++keys[n / 2];
    EXPECT_EQ(amity::ranges::equal(policy, keys, a, {}, std::identity(), &item::key), n == 0);
    amity::ranges::transform(policy, a, b, negative.begin(), std::minus<>(), &item::key,
                             [](const item& x) { return 2 * x.key; });
    for (std::size_t i = 0; i < b.size(); ++i) EXPECT_EQ(negative[i], a[i].key - 2 * b[i].key);
  });
}

TEST(projection, of_two_orders) {  // the second range's is the other way round
  std::vector<int> const a{1, 3, 5}, b{-2, -4, -6};
  std::vector<int> out(6);
  for (const named_policy& p : policies()) {
    amity::ranges::merge(p.policy, a, b, out.begin(), {}, std::identity(), std::negate<>());
    EXPECT_EQ(out, (std::vector<int>{1, -2, 3, -4, 5, -6})) << p.name;
  }
}

TEST(projection, of_what_is_copied_in_order) {
  for_all([](const auto& policy, std::size_t n) {
    auto const a = items(n, 1000);
    for (std::size_t m : {n / 3, n, n + 2}) {
      std::vector<item> out(m, item{-1, 0}), expected(m, item{-1, 0});
      auto const end = std::ranges::partial_sort_copy(a, expected, {}, &item::key, &item::key).out - expected.begin();
      EXPECT_EQ(amity::ranges::partial_sort_copy(policy, a, out, {}, &item::key, &item::key).out - out.begin(), end);
      for (std::size_t i = 0; i < m; ++i) EXPECT_EQ(out[i].key, expected[i].key);
    }
  });
  std::vector<int> const v{5, 2, 9, 4};
  std::vector<long> out(3);
  for (const named_policy& p : policies()) {
    amity::ranges::partial_sort_copy(p.policy, v, out, std::greater<>(), std::negate<>(), std::negate<>());
    EXPECT_EQ(out, (std::vector<long>{2, 4, 5})) << p.name;
  }
}

TEST(projection, braces_stand_for_functions_and_for_projections) {
  auto const a = items(100, 1000);
  std::vector<int> keys(a.size());
  amity::ranges::transform(a, keys.begin(), std::identity(), &item::key);
  auto const with_keys = [&](const auto& policy) {
    EXPECT_TRUE(amity::ranges::equal(policy, keys, a, {}, {}, &item::key));
    EXPECT_TRUE(amity::ranges::equal(policy, a, keys, {}, &item::key, {}));
    EXPECT_TRUE(amity::ranges::equal(policy, keys.begin(), keys.end(), a.begin(), a.end(), {}, {}, &item::key));
    EXPECT_EQ(amity::ranges::mismatch(policy, keys, a, std::equal_to<>(), {}, &item::key).in1, keys.end());
    EXPECT_TRUE(amity::ranges::equal(policy, keys, keys, {}, {}, {}));
    EXPECT_EQ(amity::ranges::find(policy, keys, 7, {}), amity::find(policy, keys.begin(), keys.end(), 7));
    EXPECT_EQ(amity::ranges::search(policy, keys, a, {}, {}, &item::key), keys.begin());
    std::vector<int> sorted = keys, negative(keys.size()), out(2 * keys.size());
    amity::ranges::sort(policy, sorted, {}, {});
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
    std::transform(sorted.rbegin(), sorted.rend(), negative.begin(), std::negate<>());
    std::reverse(negative.begin(), negative.end());
    amity::ranges::merge(policy, sorted, negative, out.begin(), {}, {}, std::negate<>());
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(std::abs(out[i]), sorted[i / 2]);
    amity::ranges::merge(policy, sorted.begin(), sorted.end(), negative.begin(), negative.end(), out.begin(), {}, {},
                         std::negate<>());
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(std::abs(out[i]), sorted[i / 2]);
    EXPECT_TRUE(amity::ranges::includes(policy, sorted, negative, {}, {}, std::negate<>()));
  };
  with_keys(ex::seq);
  with_keys(ex::par);
  EXPECT_TRUE(amity::ranges::equal(keys, a, {}, {}, &item::key));
}

TEST(projection, values_that_it_makes) {
  auto const v = items(1000, 100);
  std::vector<std::string> names(v.size());
  for (const named_policy& p : policies()) {
    amity::ranges::transform(p.policy, v, names.begin(), std::identity(), &item::name);
    for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(names[i], v[i].name()) << p.name;
    EXPECT_EQ(amity::ranges::find(p.policy, v, "the item with the key 7", &item::name),
              std::find_if(v.begin(), v.end(), [](const item& x) { return x.key == 7; }))
        << p.name;
  }
}

TEST(projection, changes_what_it_refers_to) {
  for (const named_policy& p : policies()) {
    auto v = items(1000, 100);
    amity::ranges::for_each(
        p.policy, v, [](int& x) { x = 7; }, &item::key);
    EXPECT_EQ(amity::ranges::count(v, 7, &item::key), 1000) << p.name;
  }
  std::vector<item> v = items(10, 5);
  struct sum {
    int total = 0;
    void operator()(int x) { total += x; }
  };
  EXPECT_EQ(amity::ranges::for_each(v, sum(), &item::key).fun.total,
            amity::ranges::transform_reduce(v, 0, std::plus<>(), &item::key));
}

TEST(projection, futures) {
  auto v = items(10000, 1000);
  amity::ranges::sort(ex::par(ex::task), v, {}, &item::key).get();
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end(), by_key));
}

TEST(projection, of_search_n_is_for_elements_alone) {
  auto const v = items(2000, 3);
  for (const named_policy& p : policies())
    for (int count : {1, 2, 4}) {
      auto const expected =
          std::search_n(v.begin(), v.end(), count, 2, [](const item& x, int key) { return x.key == key; });
      EXPECT_EQ(amity::ranges::search_n(p.policy, v, count, 2, {}, &item::key), expected) << p.name;
      EXPECT_EQ(amity::ranges::search_n(v, count, 2, std::equal_to<>(), &item::key), expected);
    }
}

TEST(projection, a_single_one_is_of_the_first_range_alone) {
  for (const named_policy& p : policies()) {
    std::vector<int> const minus{-1, -2, -3, -9}, plus{1, 2, 3, 9}, part{2, 3};
    auto const negate = std::negate<>();
    EXPECT_TRUE(amity::ranges::equal(p.policy, minus, plus, {}, negate)) << p.name;
    EXPECT_FALSE(amity::ranges::equal(p.policy, plus, plus, {}, negate));
    EXPECT_EQ(amity::ranges::mismatch(p.policy, minus, plus, {}, negate).in1, minus.end());
    EXPECT_EQ(amity::ranges::search(p.policy, minus, part, {}, negate) - minus.begin(), 1);
    EXPECT_EQ(amity::ranges::find_end(p.policy, minus, part, {}, negate) - minus.begin(), 1);
    EXPECT_EQ(amity::ranges::find_first_of(p.policy, minus, part, {}, negate) - minus.begin(), 1);
    std::vector<int> out(6);
    amity::ranges::merge(p.policy, minus, part, out.begin(), {}, negate);
    EXPECT_EQ(out, (std::vector<int>{-1, -2, 2, -3, 3, -9}));
  }
}

/// Keys of one range and negative ones of another, in the same order.
TEST(projection, orders_of_two_ranges) {
  for_all([](const auto& policy, std::size_t n) {
    auto a = numbers(n, 500, 3), b = numbers(n / 2 + 1, 500, 4);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::vector<item> items;
    std::vector<int> minus;
    for (int x : a) items.push_back({x, items.size()});
    for (int x : b) minus.push_back(-x);
    auto const negate = std::negate<>();
    EXPECT_EQ(amity::ranges::includes(policy, items, minus, {}, &item::key, negate),
              std::includes(a.begin(), a.end(), b.begin(), b.end()));
    EXPECT_TRUE(amity::ranges::includes(policy, items, a, {}, &item::key));
    EXPECT_EQ(amity::ranges::lexicographical_compare(policy, items, minus, {}, &item::key, negate), a < b);
    EXPECT_EQ(amity::ranges::lexicographical_compare(policy, minus, items, std::greater<>(), negate, &item::key),
              std::lexicographical_compare(b.begin(), b.end(), a.begin(), a.end(), std::greater<>()));
    EXPECT_FALSE(amity::ranges::lexicographical_compare(policy, items, a, {}, &item::key));

    // Of one type, with projections that differ.
    std::vector<int> out(a.size() + b.size(), -1), expected = out, plus;
    auto const same = [&](auto end, auto expected_end) {
      EXPECT_EQ(end - out.begin(), expected_end - expected.begin());
      for (auto it = out.begin(); it != end; ++it) plus.push_back(std::abs(*it));
      EXPECT_TRUE(std::equal(plus.begin(), plus.end(), expected.begin()));
      plus.clear();
    };
    using std::identity;
    same(amity::ranges::set_union(policy, a, minus, out.begin(), {}, identity(), negate).out,
         std::set_union(a.begin(), a.end(), b.begin(), b.end(), expected.begin()));
    same(amity::ranges::set_intersection(policy, minus, a, out.begin(), {}, negate).out,
         std::set_intersection(b.begin(), b.end(), a.begin(), a.end(), expected.begin()));
    same(amity::ranges::set_difference(policy, a, minus, out.begin(), {}, identity(), negate).out,
         std::set_difference(a.begin(), a.end(), b.begin(), b.end(), expected.begin()));
    same(amity::ranges::set_symmetric_difference(policy, a, minus, out.begin(), {}, identity(), negate).out,
         std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), expected.begin()));
    std::vector<item> some(n);
    auto const end = amity::ranges::set_intersection(policy, items, minus, some.begin(), {}, &item::key, negate).out;
    EXPECT_EQ(end - some.begin(),
              std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), expected.begin()) - expected.begin());
  });
  std::list<std::string> const words{"a", "bb", "ccc"};
  std::vector<std::string> out(2);
  amity::ranges::set_intersection(ex::par, words, std::vector<int>{2, 3}, out.begin(), {}, &std::string::size,
                                  [](int x) { return static_cast<std::size_t>(x); });
  EXPECT_EQ(out, (std::vector<std::string>{"bb", "ccc"}));
}

TEST(projection, replacements) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = items(n, 5);
    item const other{7, 7};
    auto expected = v;
    for (item& x : expected)
      if (x.key == 3) x = other;
    auto a = v;
    amity::ranges::replace(policy, a, 3, other, &item::key);
    EXPECT_EQ(a, expected);
    a = v;
    amity::ranges::replace_if(
        policy, a, [](int key) { return key == 3; }, other, &item::key);
    EXPECT_EQ(a, expected);
    std::vector<item> out(n);
    EXPECT_EQ(amity::ranges::replace_copy(policy, v, out.begin(), 3, other, &item::key).out, out.end());
    EXPECT_EQ(out, expected);
    out = std::vector<item>(n);
    amity::ranges::replace_copy_if(
        policy, v, out.begin(), [](int key) { return key == 3; }, other, &item::key);
    EXPECT_EQ(out, expected);
  });
  std::vector<int> few{1, -2, 2};
  amity::ranges::replace(few, 2, 9, [](int x) { return std::abs(x); });
  EXPECT_EQ(few, (std::vector<int>{1, 9, 9}));
}

}  // namespace
}  // namespace amity
