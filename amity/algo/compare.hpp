#pragma once

/// Comparisons of ranges, and questions about order: equal, mismatch, lexicographical_compare, starts_with, ends_with;
/// is_sorted(_until), is_partitioned, is_heap(_until).
///
///     bool same = amity::equal(amity::execution::par, a.begin(), a.end(), b.begin(), b.end());

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <utility>

#include "amity/algo/find.hpp"

namespace amity {

namespace algo {

/// The first position of n at which `f` does not hold for both.
template <class It, class It2, class F>
index first_difference(const settings& how, It first, index n, It2 second, F& f) {
  return first_where(how, n, [&](index from, index to) {
    return position(first, std::mismatch(at(first, from), at(first, to), at(second, from), std::ref(f)).first);
  });
}

/// An argument that may be an iterator or a function, which std would copy.
template <class T>
auto for_std(T& x) {
  if constexpr (is_iterator_v<T>)
    return x;
  else
    return std::ref(x);
}

struct mismatch_algorithm : algorithm<mismatch_algorithm> {
  template <class It, class It2, class... More>
  static std::pair<It, It2> sequential(It first, It last, It2 second, More... more) {
    return std::mismatch(first, last, second, for_std(more)...);
  }
  template <class It, class It2, class F = std::equal_to<>>
  static std::pair<It, It2> parallel(const settings& how, It first, It last, It2 second, F f = {}) {
    index const i = first_difference(how, first, length(first, last), second, f);
    return {at(first, i), at(second, i)};
  }
  template <class It, class It2, class F = std::equal_to<>>
  static std::pair<It, It2> parallel(const settings& how, It first, It last, It2 second, It2 second_last, F f = {}) {
    index const i = first_difference(how, first, std::min(length(first, last), length(second, second_last)), second, f);
    return {at(first, i), at(second, i)};
  }
};

struct equal_algorithm : algorithm<equal_algorithm> {
  template <class It, class It2, class... More>
  static bool sequential(It first, It last, It2 second, More... more) {
    return std::equal(first, last, second, for_std(more)...);
  }
  template <class It, class It2>
  static bool parallel(const settings& how, It first, It last, It2 second) {
    return are_equal(how, first, length(first, last), second);
  }
  template <class It, class It2, class F>
  requires(!is_iterator_v<F>) static bool parallel(const settings& how, It first, It last, It2 second, F f) {
    return are_equal(how, first, length(first, last), second, std::ref(f));
  }
  template <class It, class It2>
  requires is_iterator_v<It2>
  static bool parallel(const settings& how, It first, It last, It2 second, It2 second_last) {
    index const n = length(first, last);
    return n == length(second, second_last) && are_equal(how, first, n, second);
  }
  template <class It, class It2, class F>
  static bool parallel(const settings& how, It first, It last, It2 second, It2 second_last, F f) {
    index const n = length(first, last);
    return n == length(second, second_last) && are_equal(how, first, n, second, std::ref(f));
  }

 private:
  /// std's own of each block: of whole numbers that compares memory.
  template <class It, class It2, class... F>
  static bool are_equal(const settings& how, It first, index n, It2 second, F... f) {
    constexpr index block = 512;
    auto const differs = [&](index from, index to) {
      return std::equal(at(first, from), at(first, to), at(second, from), f...) ? to : from;
    };
    return first_where(how, n, differs, block) == n;
  }
};

/// C++23's.
struct starts_with_algorithm : algorithm<starts_with_algorithm> {
  template <class It, class It2, class F = std::equal_to<>>
  static bool sequential(It first, It last, It2 what, It2 what_last, F f = {}) {
    return std::mismatch(first, last, what, what_last, std::ref(f)).second == what_last;
  }
  template <class It, class It2, class F = std::equal_to<>>
  static bool parallel(const settings& how, It first, It last, It2 what, It2 what_last, F f = {}) {
    index const m = length(what, what_last);
    return m <= length(first, last) &&
           equal_algorithm::parallel(how, first, at(first, m), what, what_last, std::ref(f));
  }
};

/// C++23's. Both ranges are gone through to their ends first, if they are not of random access.
struct ends_with_algorithm : algorithm<ends_with_algorithm> {
  template <class It, class It2, class F = std::equal_to<>>
  static bool sequential(It first, It last, It2 what, It2 what_last, F f = {}) {
    static_assert((is_forward_v<It> || shares_words<It>)&&(is_forward_v<It2> || shares_words<It2>),
                  "ends_with goes through both ranges twice: their iterators must be forward iterators");
    index const n = length(first, last), m = length(what, what_last);
    if (m > n) return false;
    advance_by(first, n - m);
    return std::equal(first, last, what, what_last, std::ref(f));
  }
  template <class It, class It2, class F = std::equal_to<>>
  static bool parallel(const settings& how, It first, It last, It2 what, It2 what_last, F f = {}) {
    index const n = length(first, last), m = length(what, what_last);
    return m <= n && equal_algorithm::parallel(how, at(first, n - m), last, what, what_last, std::ref(f));
  }
};

struct lexicographical_compare_algorithm : algorithm<lexicographical_compare_algorithm> {
  template <class It, class It2, class... Less>
  static bool sequential(It first, It last, It2 second, It2 second_last, Less... less) {
    return std::lexicographical_compare(first, last, second, second_last, std::ref(less)...);
  }
  template <class It, class It2, class Less = std::less<>>
  static bool parallel(const settings& how, It first, It last, It2 second, It2 second_last, Less less = {}) {
    index const n = length(first, last), m = length(second, second_last);
    auto same = [&](auto&& a, auto&& b) { return !less(a, b) && !less(b, a); };
    index const i = first_difference(how, first, std::min(n, m), second, same);
    if (i == std::min(n, m)) return n < m;
    return less(*at(first, i), *at(second, i));
  }
};

struct is_sorted_until_algorithm : algorithm<is_sorted_until_algorithm> {
  template <class It, class Less = std::less<>>
  static It sequential(It first, It last, Less less = {}) {
    return std::is_sorted_until(first, last, std::ref(less));
  }
  template <class It, class Less = std::less<>>
  static It parallel(const settings& how, It first, It last, Less less = {}) {
    auto descends = [&less](auto&& a, auto&& b) -> bool {
      return less(std::forward<decltype(b)>(b), std::forward<decltype(a)>(a));
    };
    It const it = adjacent_find_algorithm::parallel(how, first, last, descends);
    return it == last ? last : at(it, 1);
  }
};

struct is_sorted_algorithm : algorithm<is_sorted_algorithm> {
  template <class It, class Less = std::less<>>
  static bool sequential(It first, It last, Less less = {}) {
    return std::is_sorted(first, last, std::ref(less));
  }
  template <class It, class Less = std::less<>>
  static bool parallel(const settings& how, It first, It last, Less less = {}) {
    return is_sorted_until_algorithm::parallel(how, first, last, std::ref(less)) == last;
  }
};

struct is_partitioned_algorithm : algorithm<is_partitioned_algorithm> {
  template <class It, class F>
  static bool sequential(It first, It last, F f) {
    return std::is_partitioned(first, last, std::ref(f));
  }
  template <class It, class F>
  static bool parallel(const settings& how, It first, It last, F f) {
    // In one pass, so that f is called once for each. Relaxed: hints, until all have ended.
    std::atomic<index> end_of_true{0}, first_false{no_limit};
    auto const holds = [&](index i) { return static_cast<bool>(std::invoke(f, *at(first, i))); };
    index const n = length(first, last);
    index const wrong = first_where(how, n, [&](index from, index to) {  // holds behind one that does not
      if (first_false.load(std::memory_order_relaxed) < from) {
        while (from < to && !holds(from)) ++from;
        return from;
      }
      index i = from;
      while (i < to && holds(i)) ++i;
      if (i != from) raise(end_of_true, i);
      if (i == to) return to;
      lower(first_false, i);
      if (end_of_true.load(std::memory_order_relaxed) > i) return i;
      do ++i;
      while (i < to && !holds(i));
      return i;
    });
    return wrong == n && end_of_true.load(std::memory_order_relaxed) <= first_false.load(std::memory_order_relaxed);
  }
};

struct is_heap_until_algorithm : algorithm<is_heap_until_algorithm> {
  template <class It, class Less = std::less<>>
  static It sequential(It first, It last, Less less = {}) {
    return std::is_heap_until(first, last, std::ref(less));
  }
  template <class It, class Less = std::less<>>
  static It parallel(const settings& how, It first, It last, Less less = {}) {
    index const n = length(first, last);
    if (n < 2) return last;
    // Position i stands for element i + 1, whose parent is i / 2.
    return at(first, 1 + first_where(how, n - 1, [&](index from, index to) {
                       while (from < to && !less(*at(first, from / 2), *at(first, from + 1))) ++from;
                       return from;
                     }));
  }
};

struct is_heap_algorithm : algorithm<is_heap_algorithm> {
  template <class It, class Less = std::less<>>
  static bool sequential(It first, It last, Less less = {}) {
    return std::is_heap(first, last, std::ref(less));
  }
  template <class It, class Less = std::less<>>
  static bool parallel(const settings& how, It first, It last, Less less = {}) {
    return is_heap_until_algorithm::parallel(how, first, last, std::ref(less)) == last;
  }
};

}  // namespace algo

/// mismatch([policy,] first, last, first2[, last2][, equal]): a pair of iterators, to the first place where the ranges
/// differ, or to their ends.
inline constexpr algo::mismatch_algorithm mismatch{};
/// equal([policy,] first, last, first2[, last2][, equal]): whether the ranges have the same elements, and as many.
inline constexpr algo::equal_algorithm equal{};
/// starts_with([policy,] first, last, first2, last2[, equal]): whether the first range begins with the second.
inline constexpr algo::starts_with_algorithm starts_with{};
/// ends_with([policy,] first, last, first2, last2[, equal]): whether the first range ends with the second.
inline constexpr algo::ends_with_algorithm ends_with{};
/// lexicographical_compare([policy,] first, last, first2, last2[, less]): whether the first range comes before the
/// second, as words in a dictionary.
inline constexpr algo::lexicographical_compare_algorithm lexicographical_compare{};
/// is_sorted([policy,] first, last[, less]).
inline constexpr algo::is_sorted_algorithm is_sorted{};
/// is_sorted_until([policy,] first, last[, less]): the end of the sorted part that the range begins with.
inline constexpr algo::is_sorted_until_algorithm is_sorted_until{};
/// is_partitioned([policy,] first, last, p): whether those for which p holds come before all others.
inline constexpr algo::is_partitioned_algorithm is_partitioned{};
/// is_heap([policy,] first, last[, less]).
inline constexpr algo::is_heap_algorithm is_heap{};
/// is_heap_until([policy,] first, last[, less]): the end of the heap that the range begins with.
inline constexpr algo::is_heap_until_algorithm is_heap_until{};
namespace ranges {
inline constexpr algo::over_ranges<algo::mismatch_algorithm, 2, algo::behind_function_of_two<4, std::equal_to<>>,
                                   algo::two_places>
    mismatch{};
inline constexpr algo::over_ranges<algo::equal_algorithm, 2, algo::behind_function_of_two<4, std::equal_to<>>> equal{};
inline constexpr algo::over_ranges<algo::starts_with_algorithm, 2, algo::behind_function_of_two<4, std::equal_to<>>>
    starts_with{};
inline constexpr algo::over_ranges<algo::ends_with_algorithm, 2, algo::behind_function_of_two<4, std::equal_to<>>>
    ends_with{};
inline constexpr algo::over_ranges<algo::lexicographical_compare_algorithm, 2, algo::behind_order_of_two<4>>
    lexicographical_compare{};
inline constexpr algo::over_ranges<algo::is_sorted_algorithm, 1, algo::behind_function<2, std::less<>>> is_sorted{};
inline constexpr algo::over_ranges<algo::is_sorted_until_algorithm, 1, algo::behind_function<2, std::less<>>>
    is_sorted_until{};
inline constexpr algo::over_ranges<algo::is_partitioned_algorithm, 1, algo::behind_function<2>> is_partitioned{};
inline constexpr algo::over_ranges<algo::is_heap_algorithm, 1, algo::behind_function<2, std::less<>>> is_heap{};
inline constexpr algo::over_ranges<algo::is_heap_until_algorithm, 1, algo::behind_function<2, std::less<>>>
    is_heap_until{};
}  // namespace ranges

}  // namespace amity
