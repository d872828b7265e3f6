/// Each form with ranges that no other test calls, against std's on numbers.

#include <memory>
#include <ranges>
#include <span>
#include <utility>

#include "amity/algo/compare.hpp"
#include "amity/algo/copy.hpp"
#include "amity/algo/filter.hpp"
#include "amity/algo/find.hpp"
#include "amity/algo/for_each.hpp"
#include "amity/algo/for_loop.hpp"
#include "amity/algo/merge.hpp"
#include "amity/algo/partitioning.hpp"
#include "amity/algo/rotate.hpp"
#include "amity/algo/scan.hpp"
#include "amity/algo/set_operations.hpp"
#include "amity/algo/sort.hpp"
#include "amity/algo/test_support.hpp"
#include "amity/algo/transform.hpp"
#include "amity/algo/uninitialized.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;
namespace ar = amity::ranges;

using ints = std::vector<int>;

/// What a call works on.
struct side {
  ints v, out = ints(2 * v.size() + 2, -1);
  bool operator==(const side&) const = default;
};

/// Afterwards both must look the same, and what `mine` and `stds` give must be the same.
template <class Mine, class Std>
void same(const char* name, const ints& v, Mine mine, Std stds) {
  side a{v}, b{v};
  if constexpr (std::is_void_v<std::invoke_result_t<Mine&, side&>>) {
    mine(a);
    stds(b);
  } else {
    EXPECT_EQ(mine(a), stds(b)) << name;
  }
  EXPECT_TRUE(a == b) << name;
}

/// The same for what leaves something unspecified behind the end that it gives.
template <class Mine, class Std>
void same_in_front(const char* name, ints range, Mine mine, Std stds) {
  ints expected_range = range;
  range.erase(mine(range), range.end());
  expected_range.erase(stds(expected_range), expected_range.end());
  EXPECT_EQ(range, expected_range) << name;
}

TEST(ranges, what_writes_each_element) {
  for_all([](const auto& p, std::size_t n) {
    ints const v = numbers(n, 10);
    long const half = static_cast<long>(n / 2);
    same(
        "copy", v, [&](side& s) { return ar::copy(p, s.v, s.out.begin()).out - s.out.begin(); },
        [&](side& s) { return std::copy(s.v.begin(), s.v.end(), s.out.begin()) - s.out.begin(); });
    same(
        "copy_n", v, [&](side& s) { return ar::copy_n(p, s.v.begin(), half, s.out.begin()).out - s.out.begin(); },
        [&](side& s) { return std::copy_n(s.v.begin(), half, s.out.begin()) - s.out.begin(); });
    same(
        "fill", v, [&](side& s) { ar::fill(p, s.v, 3); }, [&](side& s) { std::fill(s.v.begin(), s.v.end(), 3); });
    same(
        "fill_n", v, [&](side& s) { return ar::fill_n(p, s.v.begin(), half, 3) - s.v.begin(); },
        [&](side& s) { return std::fill_n(s.v.begin(), half, 3) - s.v.begin(); });
    auto const four = [] { return 4; };
    same(
        "generate", v, [&](side& s) { ar::generate(p, s.v, four); },
        [&](side& s) { std::generate(s.v.begin(), s.v.end(), four); });
    same(
        "generate_n", v, [&](side& s) { return ar::generate_n(p, s.v.begin(), half, four) - s.v.begin(); },
        [&](side& s) { return std::generate_n(s.v.begin(), half, four) - s.v.begin(); });
    same(
        "replace", v, [&](side& s) { ar::replace(p, s.v, 3, 20); },
        [&](side& s) { std::replace(s.v.begin(), s.v.end(), 3, 20); });
    same(
        "replace_copy", v, [&](side& s) { return ar::replace_copy(p, s.v, s.out.begin(), 3, 20).out - s.out.begin(); },
        [&](side& s) { return std::replace_copy(s.v.begin(), s.v.end(), s.out.begin(), 3, 20) - s.out.begin(); });
    same(
        "replace_copy_if", v,
        [&](side& s) { return ar::replace_copy_if(p, s.v, s.out.begin(), is_even, 20).out - s.out.begin(); },
        [&](side& s) {
          return std::replace_copy_if(s.v.begin(), s.v.end(), s.out.begin(), is_even, 20) - s.out.begin();
        });
    same(
        "swap_ranges", v, [&](side& s) { return ar::swap_ranges(p, s.v, s.out.begin()).in2 - s.out.begin(); },
        [&](side& s) { return std::swap_ranges(s.v.begin(), s.v.end(), s.out.begin()) - s.out.begin(); });
    same(
        "adjacent_difference", v,
        [&](side& s) { return ar::adjacent_difference(p, s.v, s.out.begin()) - s.out.begin(); },
        [&](side& s) { return std::adjacent_difference(s.v.begin(), s.v.end(), s.out.begin()) - s.out.begin(); });
    auto const add_one = [](int& x) { ++x; };
    same(
        "for_each_n", v, [&](side& s) { return ar::for_each_n(p, s.v.begin(), half, add_one) - s.v.begin(); },
        [&](side& s) { return std::for_each_n(s.v.begin(), half, add_one) - s.v.begin(); });
    same(
        "for_loop_strided", v, [&](side& s) { ar::for_loop_strided(p, s.v, 3, [](auto it) { *it = -5; }); },
        [&](side& s) {
          for (std::size_t i = 0; i < s.v.size(); i += 3) s.v[i] = -5;
        });
    auto const twice = [](int x) { return 2 * x; };
    same(
        "transform_exclusive_scan", v,
        [&](side& s) {
          return ar::transform_exclusive_scan(p, s.v, s.out.begin(), 5, std::plus<>(), twice).out - s.out.begin();
        },
        [&](side& s) {
          return std::transform_exclusive_scan(s.v.begin(), s.v.end(), s.out.begin(), 5, std::plus<>(), twice) -
                 s.out.begin();
        });
  });
}

TEST(ranges, what_leaves_elements_out) {
  for_all([](const auto& p, std::size_t n) {
    ints const v = numbers(n, 10);
    same(
        "copy_if", v, [&](side& s) { s.out.erase(ar::copy_if(p, s.v, s.out.begin(), is_even).out, s.out.end()); },
        [&](side& s) { s.out.erase(std::copy_if(s.v.begin(), s.v.end(), s.out.begin(), is_even), s.out.end()); });
    same(
        "remove_copy", v, [&](side& s) { s.out.erase(ar::remove_copy(p, s.v, s.out.begin(), 3).out, s.out.end()); },
        [&](side& s) { s.out.erase(std::remove_copy(s.v.begin(), s.v.end(), s.out.begin(), 3), s.out.end()); });
    same(
        "unique_copy", v, [&](side& s) { s.out.erase(ar::unique_copy(p, s.v, s.out.begin()).out, s.out.end()); },
        [&](side& s) { s.out.erase(std::unique_copy(s.v.begin(), s.v.end(), s.out.begin()), s.out.end()); });
    auto const no = [n](ints& out) { return out.begin() + static_cast<long>(n); };
    same(
        "partition_copy", v,
        [&](side& s) {
          auto const [in, a, b] = ar::partition_copy(p, s.v, s.out.begin(), no(s.out), is_even);
          return std::pair(a - s.out.begin(), b - s.out.begin());
        },
        [&](side& s) {
          auto const [a, b] = std::partition_copy(s.v.begin(), s.v.end(), s.out.begin(), no(s.out), is_even);
          return std::pair(a - s.out.begin(), b - s.out.begin());
        });
    same_in_front(
        "remove", v, [&](ints& x) { return ar::remove(p, x, 3).begin(); },
        [&](ints& x) { return std::remove(x.begin(), x.end(), 3); });
    same_in_front(
        "unique", v, [&](ints& x) { return ar::unique(p, x).begin(); },
        [&](ints& x) { return std::unique(x.begin(), x.end()); });
    same_in_front(
        "shift_left", v, [&](ints& x) { return ar::shift_left(p, x, 5); },
        [&](ints& x) { return std::shift_left(x.begin(), x.end(), 5); });
  });
}

TEST(ranges, searches_and_questions) {
  for_all([](const auto& p, std::size_t n) {
    ints v = numbers(n, 1000);
    ints const part(v.begin() + static_cast<long>(n / 2), v.begin() + static_cast<long>(std::min(n, n / 2 + 3)));
    auto const large = [](int x) { return x > 997; };
    EXPECT_EQ(ar::find_if(p, v, large), std::find_if(v.begin(), v.end(), large));
    EXPECT_EQ(ar::search(p, v, part), std::search(v.begin(), v.end(), part.begin(), part.end()));
    EXPECT_EQ(ar::search_n(p, v, 2, 7), std::search_n(v.begin(), v.end(), 2, 7));
    EXPECT_EQ(ar::any_of(p, v, large), std::any_of(v.begin(), v.end(), large));
    EXPECT_EQ(ar::none_of(p, v, large), std::none_of(v.begin(), v.end(), large));
    std::sort(v.begin(), v.begin() + static_cast<long>(n / 2));
    EXPECT_EQ(ar::is_sorted_until(p, v), std::is_sorted_until(v.begin(), v.end()));
    EXPECT_EQ(ar::is_heap(p, v), std::is_heap(v.begin(), v.end()));
    std::make_heap(v.begin(), v.end());
    EXPECT_TRUE(ar::is_heap(p, v));
  });
}

TEST(ranges, orders) {
  for_all([](const auto& p, std::size_t n) {
    ints const v = numbers(n, 1000);
    auto const middle = [n](ints& x) { return x.begin() + static_cast<long>(n / 3); };
    same(
        "reverse", v, [&](side& s) { ar::reverse(p, s.v); }, [&](side& s) { std::reverse(s.v.begin(), s.v.end()); });
    same(
        "rotate", v, [&](side& s) { return ar::rotate(p, s.v, middle(s.v)).begin() - s.v.begin(); },
        [&](side& s) { return std::rotate(s.v.begin(), middle(s.v), s.v.end()) - s.v.begin(); });
    same(
        "rotate_copy", v,
        [&](side& s) { return ar::rotate_copy(p, s.v, middle(s.v), s.out.begin()).out - s.out.begin(); },
        [&](side& s) { return std::rotate_copy(s.v.begin(), middle(s.v), s.v.end(), s.out.begin()) - s.out.begin(); });
    same(
        "stable_partition", v, [&](side& s) { return ar::stable_partition(p, s.v, is_even).begin() - s.v.begin(); },
        [&](side& s) { return std::stable_partition(s.v.begin(), s.v.end(), is_even) - s.v.begin(); });
    same(
        "partial_sort_copy", v, [&](side& s) { return ar::partial_sort_copy(p, s.v, s.out).out - s.out.begin(); },
        [&](side& s) {
          return std::partial_sort_copy(s.v.begin(), s.v.end(), s.out.begin(), s.out.end()) - s.out.begin();
        });
    same(
        "partial_sort", v,
        [&](side& s) {
          ar::partial_sort(p, s.v, middle(s.v));
          std::sort(middle(s.v), s.v.end());
        },
        [&](side& s) { std::sort(s.v.begin(), s.v.end()); });
    same(
        "partial_sort by", v,
        [&](side& s) {
          ar::partial_sort(p, s.v.begin(), middle(s.v), s.v.end(), std::greater<>());
          std::sort(middle(s.v), s.v.end(), std::greater<>());
        },
        [&](side& s) { std::sort(s.v.begin(), s.v.end(), std::greater<>()); });
    same(
        "nth_element", v,
        [&](side& s) {
          ar::nth_element(p, s.v, middle(s.v));
          int const x = n == 0 ? 0 : *middle(s.v);
          std::sort(s.v.begin(), s.v.end());
          return x;
        },
        [&](side& s) {
          std::sort(s.v.begin(), s.v.end());
          return n == 0 ? 0 : *middle(s.v);
        });
    auto const halves = [&](ints& x) {
      std::sort(x.begin(), middle(x));
      std::sort(middle(x), x.end());
    };
    same(
        "inplace_merge", v,
        [&](side& s) {
          halves(s.v);
          ar::inplace_merge(p, s.v, middle(s.v));
        },
        [&](side& s) { std::sort(s.v.begin(), s.v.end()); });
  });
  ints v = numbers(100, 1000);
  ar::partial_sort(v, v.begin() + 50);
  EXPECT_TRUE(std::is_sorted(v.begin(), v.begin() + 50));
  ar::rotate(ex::par(ex::task), v, v.begin() + 50).get();
  EXPECT_TRUE(std::is_sorted(v.begin() + 50, v.end()));
}

TEST(ranges, set_union) {
  for_all([](const auto& p, std::size_t n) {
    ints a = numbers(n, 1000), b = numbers(n / 2, 1000, 2);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    same(
        "set_union", a, [&](side& s) { return ar::set_union(p, s.v, b, s.out.begin()).out - s.out.begin(); },
        [&](side& s) {
          return std::set_union(s.v.begin(), s.v.end(), b.begin(), b.end(), s.out.begin()) - s.out.begin();
        });
  });
}

/// Objects that are counted while they live.
struct counted {
  static inline std::atomic<int> alive{0};
  int value = 7;
  counted() { ++alive; }
  explicit counted(int x) : value(x) { ++alive; }
  counted(const counted& other) : value(other.value) { ++alive; }
  counted(counted&& other) noexcept : value(other.value) { ++alive; }
  counted& operator=(const counted&) = default;
  ~counted() { --alive; }
};

TEST(ranges, raw_memory) {
  for_all([](const auto& p, std::size_t n) {
    std::vector<counted> from(n, counted(3));
    algo::raw_memory<counted> const memory(n + 1);
    counted* const first = memory.data();
    counted* const last = first + n;
    std::span<counted> const to(first, n);
    auto const has = [&](int value) {
      bool const all = counted::alive == static_cast<int>(2 * n) &&
                       std::all_of(first, last, [&](const counted& x) { return x.value == value; });
      ar::destroy(p, to);
      return all && counted::alive == static_cast<int>(n);
    };
    EXPECT_EQ(ar::uninitialized_copy(p, from, first).out, last);
    EXPECT_TRUE(has(3));
    EXPECT_EQ(ar::uninitialized_copy_n(p, from.begin(), n, first).out, last);
    EXPECT_TRUE(has(3));
    ar::uninitialized_fill(p, to, counted(4));
    EXPECT_TRUE(has(4));
    EXPECT_EQ(ar::uninitialized_fill_n(p, first, n, counted(5)), last);
    EXPECT_TRUE(has(5));
    ar::uninitialized_default_construct(p, to);
    EXPECT_TRUE(has(7));
    EXPECT_EQ(ar::uninitialized_default_construct_n(p, first, n), last);
    EXPECT_TRUE(has(7));
    ar::uninitialized_value_construct(p, to);
    EXPECT_TRUE(has(7));
    EXPECT_EQ(ar::uninitialized_value_construct_n(p, first, n), last);
    EXPECT_TRUE(has(7));
    EXPECT_EQ(ar::uninitialized_move(p, from, first).out, last);
    EXPECT_TRUE(has(3));
    auto const [in, out] = ar::uninitialized_move_n(p, from.begin(), n, first);
    EXPECT_EQ(std::pair(in, out), std::pair(from.end(), last));
    EXPECT_EQ(ar::destroy_n(p, first, n), last);
    EXPECT_EQ(counted::alive, static_cast<int>(n));
  });
}

TEST(ranges, those_that_end_before_the_future_is_ready_are_refused) {
  using algo::end_with_the_call;
  auto const twice = std::views::transform([](int x) { return 2 * x; });
  using made = decltype(std::declval<ints&>() | twice);  // its iterators refer to it
  static_assert(end_with_the_call<1, ints&&> && end_with_the_call<2, ints&, ints&&> && end_with_the_call<1, made&&>);
  static_assert(!end_with_the_call<1, ints&> && !end_with_the_call<1, made&> && !end_with_the_call<1, ints&, ints&&>);
  static_assert(!end_with_the_call<1, std::span<int>&&> && !end_with_the_call<1, ints::iterator, ints::iterator>);
  ints v{3, 1, 2};
  ar::sort(ex::par(ex::task), std::span(v)).get();
  EXPECT_EQ(v, (ints{1, 2, 3}));
  EXPECT_EQ(ar::count(ex::par(ex::task), std::views::iota(0, 10), 3).get(), 1);
  ar::transform(ex::par(ex::task), std::span(v), v.begin(), [](int x) { return -x; }).get();
  EXPECT_EQ(v, (ints{-1, -2, -3}));
}

}  // namespace
}  // namespace amity
