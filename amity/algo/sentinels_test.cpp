/// An iterator and a sentinel in the place of two iterators.

#include <algorithm>
#include <compare>
#include <functional>
#include <iterator>
#include <numeric>
#include <ranges>
#include <utility>

#include "amity/algo/compare.hpp"
#include "amity/algo/copy.hpp"
#include "amity/algo/find.hpp"
#include "amity/algo/for_each.hpp"
#include "amity/algo/minmax.hpp"
#include "amity/algo/reduce.hpp"
#include "amity/algo/rotate.hpp"
#include "amity/algo/scan.hpp"
#include "amity/algo/sort.hpp"
#include "amity/algo/test_support.hpp"
#include "amity/algo/transform.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;
namespace ar = amity::ranges;

using ints = std::vector<int>;

TEST(sentinels, of_counted_iterators) {
  for_all([](const auto& p, std::size_t n) {
    ints const v = numbers(n, 10);
    long const half = static_cast<long>(n / 2);
    auto const from = std::counted_iterator(v.begin(), half);
    auto const middle = v.begin() + half;
    long sum = std::accumulate(v.begin(), middle, 0L);
    EXPECT_EQ(amity::reduce(p, from, std::default_sentinel, 0L), sum);
    EXPECT_EQ(amity::count(p, from, std::default_sentinel, 3), std::count(v.begin(), middle, 3));
    EXPECT_EQ(amity::find(p, from, std::default_sentinel, 3).base(), std::find(v.begin(), middle, 3));
    EXPECT_EQ(amity::equal(p, from, std::default_sentinel, v.begin(), middle), true);
    EXPECT_EQ(amity::equal(p, v.begin(), middle, from, std::default_sentinel), true);
    EXPECT_EQ(amity::max_element(p, from, std::default_sentinel).base(), std::max_element(v.begin(), middle));
    ints copied(n, -1), scanned(n, -1), expected(n, -1);
    EXPECT_EQ(amity::copy(p, from, std::default_sentinel, copied.begin()), copied.begin() + half);
    EXPECT_TRUE(std::equal(v.begin(), middle, copied.begin()));
    amity::inclusive_scan(p, from, std::default_sentinel, scanned.begin());
    std::inclusive_scan(v.begin(), middle, expected.begin());
    EXPECT_EQ(scanned, expected);
  });
}

TEST(sentinels, what_changes_the_range) {
  for_all([](const auto& p, std::size_t n) {
    ints a = numbers(n, 1000), b = a;
    long const half = static_cast<long>(n / 2);
    auto const from = std::counted_iterator(a.begin(), half);
    auto const middle = b.begin() + half;
    auto const add = [](int& x) { ++x; };
    amity::for_each(p, from, std::default_sentinel, add);
    std::for_each(b.begin(), middle, add);
    EXPECT_EQ(a, b);
    amity::sort(p, from, std::default_sentinel);
    std::sort(b.begin(), middle);
    EXPECT_EQ(a, b);
    amity::rotate(p, from, from + half / 3, std::default_sentinel);
    std::rotate(b.begin(), b.begin() + half / 3, middle);
    EXPECT_EQ(a, b);
    ar::reverse(p, from, std::default_sentinel);
    std::reverse(b.begin(), middle);
    EXPECT_EQ(a, b);
    amity::fill(p, from, std::default_sentinel, 5);
    std::fill(b.begin(), middle, 5);
    EXPECT_EQ(a, b);
  });
}

TEST(sentinels, of_views) {
  for_all([](const auto& p, std::size_t n) {
    int const size = static_cast<int>(n);
    auto const numbers = std::views::iota(0, static_cast<long>(size));  // ends with another type than it begins with
    static_assert(!std::ranges::common_range<decltype(numbers)>);
    long const sum = long{size} * (size - 1) / 2;
    EXPECT_EQ(amity::reduce(p, numbers.begin(), numbers.end(), 0L), sum);
    auto const twice = numbers | std::views::transform([](int x) { return 2L * x; });
    EXPECT_EQ(amity::reduce(p, twice.begin(), twice.end(), 0L), 2 * sum);
    ints out(n);
    amity::transform(p, numbers.begin(), numbers.end(), out.begin(), [](int x) { return x + 1; });
    EXPECT_TRUE(std::ranges::equal(out, std::views::iota(1, size + 1)));
    EXPECT_EQ(ar::find(p, numbers.begin(), numbers.end(), size - 1) - numbers.begin(), std::max(0, size - 1));
    EXPECT_TRUE(ar::all_of(
        p, twice.begin(), twice.end(), [](long x) { return x % 4 == 0; }, [](long x) { return 2 * x; }));
  });
}

/// A range of pairs of references, as std::views::zip's.
struct zipped {
  struct end {
    std::size_t at;
  };
  struct iterator {
    using value_type = std::pair<int, long>;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::random_access_iterator_tag;
    int* keys = nullptr;
    long* values = nullptr;
    difference_type at = 0;
    std::pair<int&, long&> operator*() const { return {keys[at], values[at]}; }
    std::pair<int&, long&> operator[](difference_type n) const { return *(*this + n); }
    iterator& operator++() { return *this += 1; }
    iterator operator++(int) { return {keys, values, at++}; }
    iterator& operator--() { return *this -= 1; }
    iterator operator--(int) { return {keys, values, at--}; }
    iterator& operator+=(difference_type n) { return at += n, *this; }
    iterator& operator-=(difference_type n) { return at -= n, *this; }
    friend iterator operator+(iterator i, difference_type n) { return i += n; }
    friend iterator operator+(difference_type n, iterator i) { return i += n; }
    friend iterator operator-(iterator i, difference_type n) { return i -= n; }
    friend difference_type operator-(const iterator& a, const iterator& b) { return a.at - b.at; }
    friend bool operator==(const iterator& a, const iterator& b) { return a.at == b.at; }
    friend auto operator<=>(const iterator& a, const iterator& b) { return a.at <=> b.at; }
    friend bool operator==(const iterator& a, const end& b) { return a.at == static_cast<difference_type>(b.at); }
    friend difference_type operator-(const end& a, const iterator& b) {
      return static_cast<difference_type>(a.at) - b.at;
    }
    friend difference_type operator-(const iterator& a, const end& b) { return -(b - a); }
  };
};

TEST(sentinels, of_zipped_ranges) {
  static_assert(std::random_access_iterator<zipped::iterator>);
  for_all([](const auto& p, std::size_t n) {
    ints keys = numbers(n, 10);
    std::vector<long> values(keys.begin(), keys.end());
    zipped::iterator const first{keys.data(), values.data()};
    zipped::end const last{n};
    amity::for_each(p, first, last, [](auto&& x) { x.second += x.first; });
    EXPECT_TRUE(std::ranges::equal(keys, values, {}, [](int k) { return 2L * k; }));
    EXPECT_EQ(amity::count_if(p, first, last, [](auto&& x) { return x.second == 6; }),
              std::count(keys.begin(), keys.end(), 3));
    auto const product = [](auto&& x) { return x.first * x.second; };
    EXPECT_EQ(amity::transform_reduce(p, first, last, 0L, std::plus<>(), product),
              2 * std::inner_product(keys.begin(), keys.end(), keys.begin(), 0L));
    EXPECT_EQ(ar::find_if(p, first, last, [](auto&& x) { return x.first == 7; }) - first,
              std::find(keys.begin(), keys.end(), 7) - keys.begin());
  });
}

TEST(sentinels, with_a_future_and_without_a_policy) {
  ints const v = numbers(1000, 10);
  auto const from = std::counted_iterator(v.begin(), 700);
  long const sum = std::accumulate(v.begin(), v.begin() + 700, 0L);
  EXPECT_EQ(amity::reduce(ex::par(ex::task), from, std::default_sentinel, 0L).get(), sum);
  EXPECT_EQ(amity::reduce(ex::seq, from, std::default_sentinel, 0L), sum);
  EXPECT_EQ(amity::reduce(from, std::default_sentinel, 0L), sum);
}

TEST(sentinels, values_that_compare_with_iterators_are_none) {
  int x = 0, y = 0;
  std::vector<void*> v{&x, nullptr, &y};
  void** const first = v.data();
  EXPECT_EQ(amity::find(ex::par, first, first + 3, static_cast<void*>(&y)), first + 2);
  EXPECT_EQ(amity::find(ex::par, first, first + 3, nullptr), first + 1);
  struct like_json {  // compares with everything
    bool operator==(const like_json&) const = default;
    bool operator==(const like_json*) const { return false; }
  };
  like_json many[3];
  EXPECT_EQ(amity::find(ex::par, many, many + 3, like_json()), many);
}

TEST(sentinels, ranges_without_an_end) {
  auto const all = std::views::iota(1);
  auto const is_seven = [](int x) { return x == 7; };
  EXPECT_EQ(*ar::find(all, 7), 7);
  EXPECT_EQ(*ar::find(all, 49, [](int x) { return x * x; }), 7);
  EXPECT_EQ(*ar::find_if(all, is_seven), 7);
  EXPECT_EQ(*ar::find_if_not(all, [](int x) { return x < 7; }), 7);
  EXPECT_TRUE(ar::any_of(all, is_seven));
  EXPECT_FALSE(ar::none_of(all, is_seven));
  EXPECT_FALSE(ar::all_of(all, [](int x) { return x < 7; }));
  EXPECT_EQ(*ar::adjacent_find(all, [](int x, int y) { return x * y == 56; }), 7);
  ints v{1, 2, 3, 3};
  EXPECT_EQ(amity::find(v.begin(), std::unreachable_sentinel, 3), v.begin() + 2);
  EXPECT_EQ(amity::adjacent_find(v.begin(), std::unreachable_sentinel), v.begin() + 2);
  for (const named_policy& p : policies()) {  // the other one ends it
    ints out(4);
    ar::transform(p.policy, v, all, out.begin(), std::plus<>());
    EXPECT_EQ(out, (ints{2, 4, 6, 7})) << p.name;
    ar::transform(p.policy, all, v, out.begin(), std::minus<>());
    EXPECT_EQ(out, (ints{0, 0, 0, 1})) << p.name;
  }
}

}  // namespace
}  // namespace amity
