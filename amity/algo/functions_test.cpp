/// Which functions algorithms take: pointers to members, those that can't be copied, those that take elements as T&.
/// And iterators with a comma of their own.

#include <compare>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>

#include "amity/algo/compare.hpp"
#include "amity/algo/copy.hpp"
#include "amity/algo/filter.hpp"
#include "amity/algo/find.hpp"
#include "amity/algo/for_each.hpp"
#include "amity/algo/merge.hpp"
#include "amity/algo/minmax.hpp"
#include "amity/algo/partitioning.hpp"
#include "amity/algo/reduce.hpp"
#include "amity/algo/scan.hpp"
#include "amity/algo/set_operations.hpp"
#include "amity/algo/sort.hpp"
#include "amity/algo/test_support.hpp"
#include "amity/algo/transform.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;
namespace ar = amity::ranges;

using ints = std::vector<int>;

struct item {
  int key = 0;
  bool odd = key % 2 != 0;
  [[nodiscard]] bool less(const item& other) const { return key < other.key; }
  [[nodiscard]] bool same(const item& other) const { return key == other.key; }
  [[nodiscard]] bool is_odd() const { return odd; }
  bool operator==(const item&) const = default;
};

std::vector<item> items(std::size_t n, int below, unsigned seed = 1) {
  std::vector<item> all;
  for (int x : numbers(n, below, seed)) all.push_back({x});
  return all;
}

bool by_key(const item& a, const item& b) { return a.key < b.key; }

/// `f` with a policy of each kind in front of the arguments that it gets, and with none.
template <class F>
void with_and_without_policy(F f) {
  for (const named_policy& p : policies()) {
    SCOPED_TRACE(p.name);
    f([&p](const auto& algorithm, auto&&... args) {
      return algorithm(p.policy, std::forward<decltype(args)>(args)...);
    });
  }
  SCOPED_TRACE("without a policy");
  f([](const auto& algorithm, auto&&... args) { return algorithm(std::forward<decltype(args)>(args)...); });
}

TEST(functions, pointers_to_members_as_orders) {
  auto const v = items(3000, 1000);
  auto sorted = v;
  std::stable_sort(sorted.begin(), sorted.end(), by_key);
  with_and_without_policy([&](auto call) {
    auto a = v;
    call(ar::sort, a, &item::less);
    EXPECT_EQ(a, sorted);
    EXPECT_TRUE(call(ar::is_sorted, a, &item::less));
    a = v;
    call(ar::stable_sort, a, &item::less);
    EXPECT_EQ(a, sorted);
    a = v;
    call(ar::nth_element, a, a.begin() + 1000, &item::less);
    EXPECT_EQ(a[1000], sorted[1000]);
    call(ar::partial_sort, a, a.begin() + 10, &item::less);
    EXPECT_TRUE(std::equal(a.begin(), a.begin() + 10, sorted.begin()));
    std::vector<item> out(2 * v.size()), few(10);
    call(ar::merge, sorted, sorted, out.begin(), &item::less);
    EXPECT_TRUE(std::is_sorted(out.begin(), out.end(), by_key));
    out = sorted;
    out.insert(out.end(), sorted.begin(), sorted.end());
    call(ar::inplace_merge, out, out.begin() + 3000, &item::less);
    EXPECT_TRUE(std::is_sorted(out.begin(), out.end(), by_key));
    call(ar::partial_sort_copy, v.begin(), v.end(), few.begin(), few.end(), &item::less);
    EXPECT_TRUE(std::equal(few.begin(), few.end(), sorted.begin()));
    EXPECT_EQ(call(ar::min_element, v, &item::less), std::min_element(v.begin(), v.end(), by_key));
    EXPECT_EQ(call(ar::max_element, v, &item::less), std::max_element(v.begin(), v.end(), by_key));
    auto const [min, max] = call(ar::minmax_element, v, &item::less);
    EXPECT_EQ(std::pair(min, max), std::minmax_element(v.begin(), v.end(), by_key));
    EXPECT_EQ(call(ar::is_heap, v, &item::less), std::is_heap(v.begin(), v.end(), by_key));
    EXPECT_FALSE(call(ar::lexicographical_compare, v, v, &item::less));
    EXPECT_TRUE(call(ar::includes, sorted, sorted, &item::less));
    EXPECT_EQ(call(ar::set_union, sorted, sorted, out.begin(), &item::less).out - out.begin(), 3000);
  });
}

TEST(functions, pointers_to_members_as_predicates) {
  auto const v = items(3000, 5);
  auto const odd = std::count_if(v.begin(), v.end(), [](const item& x) { return x.odd; });
  with_and_without_policy([&](auto call) {
    EXPECT_EQ(call(ar::count_if, v, &item::is_odd), odd);
    EXPECT_EQ(call(ar::count_if, v, &item::odd), odd);
    EXPECT_EQ(call(amity::count_if, v.begin(), v.end(), &item::is_odd), odd);
    EXPECT_TRUE(call(ar::any_of, v, &item::odd));
    EXPECT_TRUE(call(ar::equal, v, v, &item::same));
    EXPECT_EQ(call(ar::mismatch, v, v, &item::same).in1, v.end());
    EXPECT_EQ(call(ar::adjacent_find, v, &item::same),
              std::adjacent_find(v.begin(), v.end(), [](const item& a, const item& b) { return a.key == b.key; }));
    EXPECT_EQ(call(ar::search, v, v, &item::same), v.begin());
    auto a = v;
    EXPECT_EQ(call(ar::remove_if, a, &item::is_odd).begin() - a.begin(), 3000 - odd);
    a = v;
    EXPECT_EQ(call(ar::partition, a, &item::odd).begin() - a.begin(), odd);
    EXPECT_TRUE(call(ar::is_partitioned, a, &item::odd));
    a = v;
    call(ar::replace_if, a, &item::odd, item{2});
    EXPECT_EQ(call(ar::count_if, a, &item::odd), 0);
    auto b = v;
    auto const same = [](const item& x, const item& y) { return x.key == y.key; };
    b.erase(std::unique(b.begin(), b.end(), same), b.end());
    a = v;
    a.erase(call(ar::unique, a, &item::same).begin(), a.end());
    EXPECT_EQ(a, b);
  });
  EXPECT_EQ(ar::for_each(v, &item::is_odd).fun, &item::is_odd);  // what it got, as std's
}

TEST(functions, that_can_not_be_copied) {
  struct less {
    std::unique_ptr<int> one = std::make_unique<int>(1);
    bool operator()(int a, int b) const { return a * *one < b; }
  };
  struct same {
    std::unique_ptr<int> one = std::make_unique<int>(1);
    bool operator()(int a, int b) const { return a * *one == b; }
  };
  struct plus {
    std::unique_ptr<int> one = std::make_unique<int>(1);
    int operator()(int a, int b) const { return a * *one + b; }
  };
  struct twice {
    std::unique_ptr<int> two = std::make_unique<int>(2);
    int operator()(int a) const { return a * *two; }
  };
  ints const v = numbers(3000, 100);
  ints sums(3000), expected(3000);
  with_and_without_policy([&](auto call) {
    EXPECT_EQ(call(amity::count_if, v.begin(), v.end(), twice()), 3000 - std::count(v.begin(), v.end(), 0));
    EXPECT_TRUE(call(amity::equal, v.begin(), v.end(), v.begin(), same()));
    EXPECT_TRUE(call(amity::equal, v.begin(), v.end(), v.begin(), v.end(), same()));
    EXPECT_EQ(call(amity::mismatch, v.begin(), v.end(), v.begin(), same()).first, v.end());
    EXPECT_EQ(call(amity::mismatch, v.begin(), v.end(), v.begin(), v.end(), same()).second, v.end());
    EXPECT_FALSE(call(amity::lexicographical_compare, v.begin(), v.end(), v.begin(), v.end(), less()));
    std::inclusive_scan(v.begin(), v.end(), expected.begin());
    call(amity::inclusive_scan, v.begin(), v.end(), sums.begin(), plus());
    EXPECT_EQ(sums, expected);
    std::inclusive_scan(v.begin(), v.end(), expected.begin(), std::plus<>(), 5);
    call(amity::inclusive_scan, v.begin(), v.end(), sums.begin(), plus(), 5);
    EXPECT_EQ(sums, expected);
    std::exclusive_scan(v.begin(), v.end(), expected.begin(), 5);
    call(amity::exclusive_scan, v.begin(), v.end(), sums.begin(), 5, plus());
    EXPECT_EQ(sums, expected);
    std::transform_inclusive_scan(v.begin(), v.end(), expected.begin(), std::plus<>(), [](int x) { return 2 * x; });
    call(amity::transform_inclusive_scan, v.begin(), v.end(), sums.begin(), plus(), twice());
    EXPECT_EQ(sums, expected);
    call(amity::transform_inclusive_scan, v.begin(), v.end(), sums.begin(), plus(), twice(), 0);
    EXPECT_EQ(sums, expected);
    std::transform_exclusive_scan(v.begin(), v.end(), expected.begin(), 5, std::plus<>(), [](int x) { return 2 * x; });
    call(amity::transform_exclusive_scan, v.begin(), v.end(), sums.begin(), 5, plus(), twice());
    EXPECT_EQ(sums, expected);
  });
}

TEST(functions, that_take_elements_that_may_be_changed) {
  auto const less = [](item& a, item& b) { return a.key < b.key; };
  auto const same = [](item& a, item& b) { return a.key == b.key; };
  with_and_without_policy([&](auto call) {
    auto v = items(3000, 100), w = v;
    EXPECT_EQ(call(amity::is_sorted_until, v.begin(), v.end(), less), std::is_sorted_until(v.begin(), v.end(), less));
    EXPECT_FALSE(call(amity::is_sorted, v.begin(), v.end(), less));
    EXPECT_FALSE(call(amity::lexicographical_compare, v.begin(), v.end(), w.begin(), w.end(), less));
    call(amity::nth_element, v.begin(), v.begin() + 1500, v.end(), less);
    std::nth_element(w.begin(), w.begin() + 1500, w.end(), less);
    EXPECT_EQ(v[1500], w[1500]);
    std::stable_sort(w.begin(), w.end(), by_key);
    v.erase(call(amity::unique, v.begin(), v.end(), same), v.end());
    call(amity::sort, v.begin(), v.end(), less);
    v.erase(call(amity::unique, v.begin(), v.end(), same), v.end());
    w.erase(std::unique(w.begin(), w.end(), same), w.end());
    EXPECT_EQ(v, w);
  });
}

/// A pointer. What a comma makes of it is a mistake.
struct with_comma {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using pointer = int*;
  using reference = int&;
  int* at = nullptr;
  int& operator*() const { return *at; }
  int& operator[](std::ptrdiff_t n) const { return at[n]; }
  with_comma& operator++() {
    ++at;
    return *this;
  }
  with_comma operator++(int) { return {at++}; }
  with_comma& operator--() {
    --at;
    return *this;
  }
  with_comma operator--(int) { return {at--}; }
  with_comma& operator+=(std::ptrdiff_t n) {
    at += n;
    return *this;
  }
  with_comma& operator-=(std::ptrdiff_t n) {
    at -= n;
    return *this;
  }
  friend with_comma operator+(with_comma i, std::ptrdiff_t n) { return {i.at + n}; }
  friend with_comma operator+(std::ptrdiff_t n, with_comma i) { return {i.at + n}; }
  friend with_comma operator-(with_comma i, std::ptrdiff_t n) { return {i.at - n}; }
  friend std::ptrdiff_t operator-(with_comma a, with_comma b) { return a.at - b.at; }
  bool operator==(const with_comma&) const = default;
  auto operator<=>(const with_comma&) const = default;
  template <class T>
  friend void operator,(const T&, const with_comma&) = delete;
  template <class T>
  friend void operator,(const with_comma&, const T&) = delete;
};

TEST(functions, iterators_with_a_comma_of_their_own) {
  ints const v = numbers(100'000, 1'000'000);
  ints sorted = v;
  std::sort(sorted.begin(), sorted.end());
  with_and_without_policy([&](auto call) {
    ints a = v;
    with_comma const first{a.data()}, last{a.data() + a.size()};
    call(amity::for_each, first, last, [](int& x) { ++x; });
    call(amity::transform, first, last, first, [](int x) { return x - 2; });
    call(amity::transform, first, last, first, first, [](int x, int) { return x + 1; });
    EXPECT_EQ(a, v);
    call(amity::partial_sort, first, first + 5, last, std::less<>());
    EXPECT_TRUE(std::equal(a.begin(), a.begin() + 5, sorted.begin()));
    call(amity::exclusive_scan, first, last, first, 0, std::bit_xor<>());
    call(amity::inclusive_scan, first, last, first, std::bit_xor<>());
  });
}

}  // namespace
}  // namespace amity
