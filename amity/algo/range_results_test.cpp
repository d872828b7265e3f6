/// What algorithms over ranges return: the types and the places that those of std::ranges do.

#include "amity/algo/range_results.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/algo/compare.hpp"
#include "amity/algo/copy.hpp"
#include "amity/algo/filter.hpp"
#include "amity/algo/for_each.hpp"
#include "amity/algo/heap.hpp"
#include "amity/algo/merge.hpp"
#include "amity/algo/minmax.hpp"
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
namespace sr = std::ranges;

using ints = std::vector<int>;

/// Where nothing is to be brought back.
inline constexpr auto nothing = [] {};

template <class It>
auto places(const It& it) {
  return std::tuple(it);
}
template <class It, class F>
auto places(const sr::in_fun_result<It, F>& r) {
  return std::tuple(r.in);
}
template <class It, class It2>
auto places(const sr::in_in_result<It, It2>& r) {
  return std::tuple(r.in1, r.in2);
}
template <class It, class Out>
auto places(const sr::in_out_result<It, Out>& r) {
  return std::tuple(r.in, r.out);
}
template <class It, class It2, class Out>
auto places(const sr::in_in_out_result<It, It2, Out>& r) {
  return std::tuple(r.in1, r.in2, r.out);
}
template <class It, class Out, class Out2>
auto places(const sr::in_out_out_result<It, Out, Out2>& r) {
  return std::tuple(r.in, r.out1, r.out2);
}
template <class It>
auto places(const sr::min_max_result<It>& r) {
  return std::tuple(r.min, r.max);
}
template <class It>
auto places(const sr::subrange<It>& r) {
  return std::tuple(r.begin(), r.end());
}

/// `f(call)` gives the same type and the same places each time: `call(ours, stds, args...)` is first std's algorithm,
/// then ours without a policy, with one, and in a future. `again()` brings back what they work on.
template <class Policy, class Again, class F>
void same(const char* name, const Policy& policy, Again again, F f) {
  again();
  auto const expected =
      f([](auto&, auto& stds, auto&&... args) { return stds(std::forward<decltype(args)>(args)...); });
  auto const check = [&](const char* how, auto call) {
    again();
    auto const result = f(call);
    static_assert(std::is_same_v<decltype(result), decltype(expected)>);
    EXPECT_TRUE(places(result) == places(expected)) << name << how;
  };
  check(" without a policy",
        [](auto& ours, auto&, auto&&... args) { return ours(std::forward<decltype(args)>(args)...); });
  check(" with a policy",
        [&](auto& ours, auto&, auto&&... args) { return ours(policy, std::forward<decltype(args)>(args)...); });
  check(" in a future", [&](auto& ours, auto&, auto&&... args) {
    return ours(policy(ex::task), std::forward<decltype(args)>(args)...).get();
  });
}

/// What most calls work on: two lists of numbers, two in order, and room.
struct lists {
  ints const v_before, w_before;
  ints v = v_before, w = w_before, in_order = v_before, few_in_order = w_before;
  ints out = ints(2 * v.size() + 2), other = out;
  explicit lists(std::size_t n) : v_before(numbers(n, 10)), w_before(numbers(2 * n / 3, 10, 2)) {
    std::sort(in_order.begin(), in_order.end());
    std::sort(few_in_order.begin(), few_in_order.end());
  }
  void again() {
    sr::copy(v_before, v.begin());
    sr::copy(w_before, w.begin());
    sr::fill(out, -1);
    sr::fill(other, -1);
  }
  [[nodiscard]] std::ptrdiff_t half() const { return static_cast<std::ptrdiff_t>(v.size() / 2); }
  ints::iterator middle() { return v.begin() + half(); }
};

/// `f(same, lists)` for policies and sizes, from none on; `same(name, f)` is as above.
template <class F>
void for_all_lists(F f) {
  for_all([&](const auto& policy, std::size_t n) {
    if (n > 20000) return;
    lists l(n);
    auto const again = [&l] { l.again(); };
    f([&](const char* name, auto g) { same(name, policy, again, g); }, l);
  });
}

TEST(range_results, of_what_writes_each_element) {
  for_all_lists([](auto same, lists& l) {
    auto const four = [] { return 4; };
    auto const twice = [](int x) { return 2 * x; };
    same("copy", [&](auto call) { return call(ar::copy, sr::copy, l.v, l.out.begin()); });
    same("copy_n", [&](auto call) { return call(ar::copy_n, sr::copy_n, l.v.begin(), l.half(), l.out.begin()); });
    same("move", [&](auto call) { return call(ar::move, sr::move, l.v, l.out.begin()); });
    same("fill", [&](auto call) { return call(ar::fill, sr::fill, l.v, 3); });
    same("generate", [&](auto call) { return call(ar::generate, sr::generate, l.v, four); });
    same("replace", [&](auto call) { return call(ar::replace, sr::replace, l.v, 3, 20); });
    same("replace of keys", [&](auto call) { return call(ar::replace, sr::replace, l.v, 6, 20, twice); });
    same("replace_if", [&](auto call) { return call(ar::replace_if, sr::replace_if, l.v, is_even, 20); });
    same("replace_copy",
         [&](auto call) { return call(ar::replace_copy, sr::replace_copy, l.v, l.out.begin(), 3, 20); });
    same("replace_copy_if",
         [&](auto call) { return call(ar::replace_copy_if, sr::replace_copy_if, l.v, l.out.begin(), is_even, 20); });
    same("transform", [&](auto call) { return call(ar::transform, sr::transform, l.v, l.out.begin(), twice); });
    same("transform between iterators", [&](auto call) {
      return call(ar::transform, sr::transform, l.v.begin(), l.middle(), l.out.begin(), twice, twice);
    });
    same("transform of a long and a short one",
         [&](auto call) { return call(ar::transform, sr::transform, l.v, l.w, l.out.begin(), std::plus<>()); });
    same("transform of a short and a long one", [&](auto call) {
      return call(ar::transform, sr::transform, l.w, l.v, l.out.begin(), std::plus<>(), twice, twice);
    });
  });
}

TEST(range_results, of_what_leaves_elements_out) {
  for_all_lists([](auto same, lists& l) {
    auto const half = [](int x) { return x / 2; };
    auto const no = [&] { return l.other.begin(); };
    same("copy_if", [&](auto call) { return call(ar::copy_if, sr::copy_if, l.v, l.out.begin(), is_even); });
    same("remove_copy", [&](auto call) { return call(ar::remove_copy, sr::remove_copy, l.v, l.out.begin(), 3); });
    same("remove_copy_if",
         [&](auto call) { return call(ar::remove_copy_if, sr::remove_copy_if, l.v, l.out.begin(), is_even); });
    same("unique_copy", [&](auto call) { return call(ar::unique_copy, sr::unique_copy, l.v, l.out.begin()); });
    same("partition_copy",
         [&](auto call) { return call(ar::partition_copy, sr::partition_copy, l.v, l.out.begin(), no(), is_even); });
    same("remove", [&](auto call) { return call(ar::remove, sr::remove, l.v, 3); });
    same("remove of keys", [&](auto call) { return call(ar::remove, sr::remove, l.v, 3, half); });
    same("remove_if", [&](auto call) { return call(ar::remove_if, sr::remove_if, l.v, is_even); });
    same("unique", [&](auto call) { return call(ar::unique, sr::unique, l.v); });
    same("unique of keys", [&](auto call) { return call(ar::unique, sr::unique, l.v, std::equal_to<>(), half); });
  });
}

TEST(range_results, of_searches) {
  for_all_lists([](auto same, lists& l) {
    same("mismatch", [&](auto call) { return call(ar::mismatch, sr::mismatch, l.v, l.in_order); });
    same("mismatch of the same", [&](auto call) { return call(ar::mismatch, sr::mismatch, l.v, l.v_before); });
    same("mismatch with its half", [&](auto call) {
      return call(ar::mismatch, sr::mismatch, l.v, sr::subrange(l.v_before.begin(), l.v_before.begin() + l.half()));
    });
    same("minmax_element", [&](auto call) { return call(ar::minmax_element, sr::minmax_element, l.v); });
    same("minmax_element of keys",
         [&](auto call) { return call(ar::minmax_element, sr::minmax_element, l.v, std::less<>(), std::negate<>()); });
  });
}

TEST(range_results, of_orders) {
  for_all_lists([](auto same, lists& l) {
    same("reverse", [&](auto call) { return call(ar::reverse, sr::reverse, l.v); });
    same("reverse_copy", [&](auto call) { return call(ar::reverse_copy, sr::reverse_copy, l.v, l.out.begin()); });
    same("rotate", [&](auto call) { return call(ar::rotate, sr::rotate, l.v, l.v.begin() + l.half() / 2); });
    same("rotate_copy",
         [&](auto call) { return call(ar::rotate_copy, sr::rotate_copy, l.v, l.middle(), l.out.begin()); });
    same("partition", [&](auto call) { return call(ar::partition, sr::partition, l.v, is_even); });
    same("stable_partition", [&](auto call) { return call(ar::stable_partition, sr::stable_partition, l.v, is_even); });
    same("nth_element", [&](auto call) { return call(ar::nth_element, sr::nth_element, l.v, l.middle()); });
    same("make_heap", [&](auto call) { return call(ar::make_heap, sr::make_heap, l.v); });
    same("sort", [&](auto call) { return call(ar::sort, sr::sort, l.v); });
    same("sort by keys", [&](auto call) { return call(ar::sort, sr::sort, l.v, std::less<>(), std::negate<>()); });
    same("stable_sort", [&](auto call) { return call(ar::stable_sort, sr::stable_sort, l.v); });
    same("partial_sort", [&](auto call) { return call(ar::partial_sort, sr::partial_sort, l.v, l.middle()); });
    same("partial_sort_copy",
         [&](auto call) { return call(ar::partial_sort_copy, sr::partial_sort_copy, l.v, l.out); });
    same("partial_sort_copy of few",
         [&](auto call) { return call(ar::partial_sort_copy, sr::partial_sort_copy, l.v, l.w); });
    same("inplace_merge", [&](auto call) {
      sr::sort(l.v.begin(), l.middle());
      sr::sort(l.middle(), l.v.end());
      return call(ar::inplace_merge, sr::inplace_merge, l.v, l.middle());
    });
  });
}

TEST(range_results, of_two_ranges_in_order) {
  for_all_lists([](auto same, lists& l) {
    auto const& a = l.in_order;
    auto const& b = l.few_in_order;
    auto const with_all = [&](const char* name, auto& ours, auto& stds) {
      auto const twice = [](int x) { return 2 * x; };
      same(name, [&](auto call) { return call(ours, stds, a, b, l.out.begin()); });
      same(name, [&](auto call) { return call(ours, stds, b, a, l.out.begin(), std::less<>()); });
      same(name, [&](auto call) { return call(ours, stds, a, b, l.out.begin(), std::less<>(), twice, twice); });
    };
    with_all("merge", ar::merge, sr::merge);
    with_all("set_union", ar::set_union, sr::set_union);
    with_all("set_intersection", ar::set_intersection, sr::set_intersection);
    with_all("set_difference", ar::set_difference, sr::set_difference);
    with_all("set_symmetric_difference", ar::set_symmetric_difference, sr::set_symmetric_difference);
  });
}

/// Elements that are there already, and need neither to begin nor to end.
TEST(range_results, of_what_begins_and_ends_elements) {
  for_all_lists([](auto same, lists& l) {
    same("uninitialized_fill", [&](auto call) { return call(ar::uninitialized_fill, sr::uninitialized_fill, l.v, 3); });
    same("uninitialized_default_construct", [&](auto call) {
      return call(ar::uninitialized_default_construct, sr::uninitialized_default_construct, l.v);
    });
    same("uninitialized_value_construct",
         [&](auto call) { return call(ar::uninitialized_value_construct, sr::uninitialized_value_construct, l.v); });
    same("destroy", [&](auto call) { return call(ar::destroy, sr::destroy, l.v); });
  });
}

/// std::ranges has none.
TEST(range_results, of_scans) {
  for_all([](const auto& p, std::size_t n) {
    if (n > 20000) return;
    ints const v = numbers(n, 10);
    ints out(n + 1);
    auto const twice = [](int x) { return 2 * x; };
    std::plus<> const plus;
    auto const check = [&](const char* name, auto result) {
      static_assert(std::is_same_v<decltype(result), sr::in_out_result<ints::const_iterator, ints::iterator>>);
      EXPECT_EQ(result.in, v.end()) << name;
      EXPECT_EQ(result.out, out.begin() + static_cast<std::ptrdiff_t>(n)) << name;
    };
    auto const each = [&](const char* name, auto& scan, auto... more) {
      check(name, scan(v, out.begin(), more...));
      check(name, scan(p, v, out.begin(), more...));
      check(name, scan(p, v.begin(), v.end(), out.begin(), more...));
      check(name, scan(p(ex::task), v, out.begin(), more...).get());
    };
    each("inclusive_scan", ar::inclusive_scan);
    each("exclusive_scan", ar::exclusive_scan, 5);
    each("transform_inclusive_scan", ar::transform_inclusive_scan, plus, twice);
    each("transform_exclusive_scan", ar::transform_exclusive_scan, 5, plus, twice);
  });
}

TEST(range_results, of_for_each_are_the_end_and_without_a_policy_the_function) {
  struct sum {
    int total = 0;
    void operator()(int x) { total += x; }
  };
  for_all([](const auto& p, std::size_t n) {
    ints const v = numbers(n, 10);
    auto const ours = ar::for_each(v, sum(), std::negate<>()), stds = sr::for_each(v, sum(), std::negate<>());
    static_assert(std::is_same_v<decltype(ours), decltype(stds)>);
    EXPECT_EQ(ours.in, stds.in);
    EXPECT_EQ(ours.fun.total, stds.fun.total);
    auto const ignore = [](int) {};
    auto const end = ar::for_each(p, v, ignore);
    static_assert(std::is_same_v<decltype(end), const ints::const_iterator>);
    EXPECT_EQ(end, stds.in);
    EXPECT_EQ(ar::for_each(ex::seq, v.begin(), v.end(), ignore), stds.in);
    EXPECT_EQ(ar::for_each(p(ex::task), v, ignore).get(), stds.in);
  });
}

TEST(range_results, of_for_each_with_a_policy_are_the_end_where_elements_share_words) {
  std::vector<bool> bits(100);
  auto const set = [](auto bit) { bit = true; };
  EXPECT_EQ(ar::for_each(ex::par, bits, set), bits.end());
  EXPECT_EQ(ar::for_each(ex::par(ex::task), bits, set).get(), bits.end());
  static_assert(std::is_void_v<decltype(amity::for_each(ex::par, bits.begin(), bits.end(), set))>);
  EXPECT_EQ(std::count(bits.begin(), bits.end(), true), 100);
}

TEST(range_results, of_an_iterator_and_a_sentinel) {
  for_all_lists([](auto same, lists& l) {
    auto const counted = [](auto& v, std::ptrdiff_t n) { return std::counted_iterator(v.begin(), n); };
    auto const end = std::default_sentinel;
    same("copy", [&](auto call) { return call(ar::copy, sr::copy, counted(l.v, l.half()), end, l.out.begin()); });
    same("merge", [&](auto call) {
      return call(ar::merge, sr::merge, counted(l.in_order, l.half()), end, counted(l.few_in_order, l.half()), end,
                  l.out.begin());
    });
    same("merge with one of another kind", [&](auto call) {
      return call(ar::merge, sr::merge, l.in_order.begin(), l.in_order.end(), counted(l.few_in_order, l.half()), end,
                  l.out.begin());
    });
    same("sort", [&](auto call) { return call(ar::sort, sr::sort, counted(l.v, l.half()), end); });
    same("remove", [&](auto call) { return call(ar::remove, sr::remove, counted(l.v, l.half()), end, 3); });
    same("rotate", [&](auto call) {
      auto const first = counted(l.v, l.half());
      return call(ar::rotate, sr::rotate, first, first + l.half() / 3, end);
    });
  });
}

/// Ends where a 0 stands.
struct at_zero {
  friend bool operator==(const int* p, at_zero) { return *p == 0; }
};

TEST(range_results, are_not_where_a_sentinel_ends_the_range_afterwards) {
  ints v;
  auto const again = [&] { v = {1, 2, 3, 0, 5}; };
  for (const named_policy& p : policies()) {
    SCOPED_TRACE(p.name);
    same("fill", p.policy, again,
         [&](auto call) { return call(ar::fill, sr::fill, v.data(), at_zero(), 0) - v.data(); });
    same("replace", p.policy, again,
         [&](auto call) { return call(ar::replace, sr::replace, v.data(), at_zero(), 2, 0) - v.data(); });
  }
}

TEST(range_results, of_lists_and_of_ranges_that_end_with_a_sentinel) {
  std::list<int> const list{1, 2, 3, 4, 5};
  ints const v{6, 7, 8};
  ints out(5);
  auto const first_four = std::views::counted(list.begin(), 4);
  static_assert(!sr::common_range<decltype(first_four)>);
  for (const named_policy& p : policies()) {
    SCOPED_TRACE(p.name);
    auto const same = [&](const char* name, auto f) { amity::same(name, p.policy, nothing, f); };
    auto const twice = [](int x) { return 2 * x; };
    same("copy", [&](auto call) { return call(ar::copy, sr::copy, list, out.begin()); });
    same("copy_n", [&](auto call) { return call(ar::copy_n, sr::copy_n, list.begin(), 3, out.begin()); });
    same("copy of four", [&](auto call) { return call(ar::copy, sr::copy, first_four, out.begin()); });
    same("transform", [&](auto call) { return call(ar::transform, sr::transform, list, out.begin(), twice); });
    same("transform of two",
         [&](auto call) { return call(ar::transform, sr::transform, list, v, out.begin(), std::plus<>()); });
    same("transform of four",
         [&](auto call) { return call(ar::transform, sr::transform, v, first_four, out.begin(), std::plus<>()); });
    EXPECT_EQ(ar::for_each(p.policy, list, [](int) {}), list.end());
  }
}

TEST(range_results, of_empty_ranges) {
  ints none;
  ints out(1);
  auto const same = [&](const char* name, auto f) { amity::same(name, ex::par, nothing, f); };
  same("copy", [&](auto call) { return call(ar::copy, sr::copy, std::views::empty<int>, out.begin()); });
  same("copy_n", [&](auto call) { return call(ar::copy_n, sr::copy_n, out.begin(), 0, out.begin()); });
  same("fill", [&](auto call) { return call(ar::fill, sr::fill, none, 3); });
  same("sort", [&](auto call) { return call(ar::sort, sr::sort, none); });
  same("unique", [&](auto call) { return call(ar::unique, sr::unique, none); });
  same("rotate", [&](auto call) { return call(ar::rotate, sr::rotate, none, none.begin()); });
  same("merge", [&](auto call) { return call(ar::merge, sr::merge, none, none, out.begin()); });
  same("mismatch", [&](auto call) { return call(ar::mismatch, sr::mismatch, none, out); });
  same("minmax_element", [&](auto call) { return call(ar::minmax_element, sr::minmax_element, none); });
  same("swap_ranges", [&](auto call) { return call(ar::swap_ranges, sr::swap_ranges, none, out); });
}

TEST(range_results, of_elements_that_can_only_be_moved) {
  for_all([](const auto& p, std::size_t n) {
    if (n > 20000) return;
    std::vector<std::unique_ptr<int>> from(n), to(n + 1);
    auto const again = [&] {
      for (std::size_t i = 0; i < n; ++i) from[i] = std::make_unique<int>(static_cast<int>(i));
    };
    same("move", p, again, [&](auto call) {
      auto const result = call(ar::move, sr::move, from, to.begin());
      for (std::size_t i = 0; i < n; ++i) EXPECT_TRUE(from[i] == nullptr && *to[i] == static_cast<int>(i));
      return result;
    });
    same("rotate", p, again, [&](auto call) {
      return call(ar::rotate, sr::rotate, from, from.begin() + static_cast<std::ptrdiff_t>(n / 3));
    });
  });
}

TEST(range_results, are_futures_of_them_and_of_what_was_thrown) {
  ints v = numbers(10000, 10);
  ints out(v.size());
  using it = ints::iterator;
  future<sr::in_out_result<it, it>> copied = ar::copy(ex::par(ex::task), v, out.begin());
  EXPECT_EQ(copied.get().in, v.end());
  future<sr::subrange<it>> removed = ar::remove(ex::par(ex::task), v, 3);
  EXPECT_EQ(removed.get().end(), v.end());
  future<it> sorted = ar::sort(ex::seq(ex::task), v);
  EXPECT_EQ(sorted.get(), v.end());
  auto const throws = [](int, int) -> bool { throw std::runtime_error("less"); };
  EXPECT_THROW(ar::sort(ex::par(ex::task), v, throws).get(), exception_list);
  EXPECT_THROW(ar::sort(ex::par, v, throws), exception_list);
  EXPECT_THROW(ar::sort(v, throws), std::runtime_error);
}

TEST(range_results, of_what_can_be_read_only_once_are_no_further_than_it_was_read) {
  using numbers_of_text = std::istream_iterator<int>;
  std::istringstream text;
  auto const again = [&] {
    text.clear();
    text.str("1 2 3 4");
  };
  ints const v{10, 20, 30, 40};
  for (const named_policy& p : policies()) {
    SCOPED_TRACE(p.name);
    ints out(4);
    same("copy_n", p.policy, again, [&](auto call) {
      auto const [in, end] = call(ar::copy_n, sr::copy_n, numbers_of_text(text), 2, out.begin());
      return std::tuple(*in, end);
    });
    EXPECT_EQ(out, (ints{1, 2, 0, 0}));
    same("uninitialized_copy_n", p.policy, again, [&](auto call) {
      auto const stds = [](auto first, auto n, auto to) {
        return sr::uninitialized_copy_n(first, n, to, std::unreachable_sentinel);
      };
      auto const [in, end] = call(ar::uninitialized_copy_n, stds, numbers_of_text(text), 3, out.data());
      return std::tuple(*in, end);
    });
    EXPECT_EQ(out, (ints{1, 2, 3, 0}));
    same("transform", p.policy, again, [&](auto call) {
      auto const stds = [&](auto first, auto last, auto second, auto to, auto f) {
        return sr::transform(first, last, second, v.end(), to, f);
      };
      return call(ar::transform, stds, numbers_of_text(text), numbers_of_text(), v.begin(), out.begin(), std::plus<>());
    });
    EXPECT_EQ(out, (ints{11, 22, 33, 44}));
  }
}

TEST(range_results, of_swap_ranges_are_where_the_shorter_one_ends) {
  for_all_lists([](auto same, lists& l) {
    auto const swapped = [&](auto result) {
      EXPECT_EQ(l.w, ints(l.v_before.begin(), l.v_before.begin() + std::ssize(l.w)));
      EXPECT_TRUE(std::equal(l.w_before.begin(), l.w_before.end(), l.v.begin()));
      EXPECT_TRUE(std::equal(l.v.begin() + std::ssize(l.w), l.v.end(), l.v_before.begin() + std::ssize(l.w)));
      return result;
    };
    auto const to_iterator = [](auto& r, auto it) {
      return sr::swap_ranges(r, sr::subrange(it, std::unreachable_sentinel));
    };
    same("a long and a short one",
         [&](auto call) { return swapped(call(ar::swap_ranges, sr::swap_ranges, l.v, l.w)); });
    same("a short and a long one",
         [&](auto call) { return swapped(call(ar::swap_ranges, sr::swap_ranges, l.w, l.v)); });
    same("one and an iterator",
         [&](auto call) { return swapped(call(ar::swap_ranges, to_iterator, l.w, l.v.begin())); });
    same("iterators", [&](auto call) {
      return swapped(call(ar::swap_ranges, sr::swap_ranges, l.v.begin(), l.v.end(), l.w.begin(), l.w.end()));
    });
    same("an iterator and a sentinel", [&](auto call) {
      return swapped(call(ar::swap_ranges, sr::swap_ranges, l.v.begin(), l.v.end(),
                          std::counted_iterator(l.w.begin(), std::ssize(l.w)), std::default_sentinel));
    });
  });
  ints v{1, 2, 3};
  std::list<int> list{4, 5};
  auto const [in1, in2] = ar::swap_ranges(ex::par, v, list);
  EXPECT_TRUE(in1 == v.begin() + 2 && in2 == list.end());
  EXPECT_EQ(v, (ints{4, 5, 3}));
  EXPECT_EQ(list, (std::list<int>{1, 2}));
}

TEST(range_results, of_what_goes_into_raw_memory_are_where_the_room_or_the_input_ends) {
  for_all([](const auto& p, std::size_t n) {
    if (n > 5000) return;
    std::vector<std::string> words(n);
    auto const again = [&] {
      for (std::size_t i = 0; i < n; ++i) words[i] = "a word that takes memory, number " + std::to_string(i);
    };
    again();
    auto const expected = words;
    auto const count = static_cast<std::ptrdiff_t>(n);
    algo::raw_memory<std::string> const memory(n + 2);
    std::string* const first = memory.data();
    for (std::ptrdiff_t room : {count / 2, count, count + 2}) {
      SCOPED_TRACE("room for " + std::to_string(room));
      // What is made, which ends here; and what is left.
      auto const into = [&](std::ptrdiff_t made, auto result) {
        EXPECT_EQ(result.out - first, made);
        EXPECT_TRUE(std::equal(first, result.out, expected.begin()));
        EXPECT_TRUE(std::equal(words.begin() + made, words.end(), expected.begin() + made));
        std::destroy(first, result.out);
        return result;
      };
      auto const with_both = [&](const char* name, auto& ours, auto& stds, auto& ours_n, auto& stds_n) {
        SCOPED_TRACE(name);
        auto const made = std::min(count, room);
        auto const last = first + room;
        auto const end = std::unreachable_sentinel;
        auto const to_iterator = [&](auto& r, auto it) { return stds(r, sr::subrange(it, end)); };
        auto const n_to_iterator = [&](auto it, auto k, auto to) { return stds_n(it, k, to, end); };
        same("range", p, again,
             [&](auto call) { return into(made, call(ours, stds, words, sr::subrange(first, last))); });
        same("iterators", p, again,
             [&](auto call) { return into(made, call(ours, stds, words.begin(), words.end(), first, last)); });
        same("to an iterator", p, again, [&](auto call) { return into(count, call(ours, to_iterator, words, first)); });
        same("n", p, again,
             [&](auto call) { return into(made, call(ours_n, stds_n, words.begin(), count, first, last)); });
        same("half of them", p, again, [&](auto call) {
          return into(std::min(count / 2, room), call(ours_n, stds_n, words.begin(), count / 2, first, last));
        });
        same("n to an iterator", p, again,
             [&](auto call) { return into(count, call(ours_n, n_to_iterator, words.begin(), count, first)); });
      };
      with_both("uninitialized_copy", ar::uninitialized_copy, sr::uninitialized_copy, ar::uninitialized_copy_n,
                sr::uninitialized_copy_n);
      with_both("uninitialized_move", ar::uninitialized_move, sr::uninitialized_move, ar::uninitialized_move_n,
                sr::uninitialized_move_n);
    }
  });
}

}  // namespace
}  // namespace amity
