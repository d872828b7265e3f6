#pragma once

/// min_element, max_element, minmax_element: the first of the smallest; the first of the largest (of minmax_element the
/// last), as in std.
///
///     auto least = amity::min_element(amity::execution::par, v.begin(), v.end());

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "amity/algo/reduce.hpp"

namespace amity {

namespace algo {

/// Of numbers the best one so far is kept, and not only where it stands: else each step waits for a load of it.
template <class It, class Less>
inline constexpr bool keeps_values = is_random_access_v<It>&& without_branches<value_of<It>, Less>;

/// std::min_element, or with `largest` std::max_element: the same comparisons, in the same sense.
template <bool Largest, class It, class Less>
It extreme(It first, It last, Less& less) {
  if constexpr (keeps_values<It, Less>) {
    if (first == last) return last;
    It best = first;
    value_of<It> value = *first;
    for (++first; first != last; ++first) {
      value_of<It> const x = *first;
      if (Largest ? less(value, x) : less(x, value)) {
        value = x;
        best = first;
      }
    }
    return best;
  } else if constexpr (Largest) {
    return std::max_element(first, last, std::ref(less));
  } else {
    return std::min_element(first, last, std::ref(less));
  }
}

/// The smaller one of two neighbours, or the larger one. Without a branch, which of random numbers would be
/// mispredicted: compilers choose whole numbers in registers; floating-point numbers are loaded from where they stand.
template <bool Larger, class It, class Less>
value_of<It> one_of_two(It it, Less& less) {
  value_of<It> const x = *it, y = *at(it, 1);
  if constexpr (std::is_floating_point_v<value_of<It>>)
    return *at(it, less(y, x) != Larger ? 1 : 0);
  else
    return less(y, x) != Larger ? y : x;
}

/// std::minmax_element, which compares the elements of a pair first.
template <class It, class Less>
std::pair<It, It> extremes(It first, It last, Less& less) {
  if constexpr (keeps_values<It, Less>) {
    index const n = length(first, last);
    if (n < 2) return {first, first};
    using value = value_of<It>;
    It least = first, most = first;
    value low{}, high{};
    for (index i = 0; i + 1 < n; i += 2) {
      value const a = one_of_two<false>(at(first, i), less), b = one_of_two<true>(at(first, i), less);
      if (i == 0 || less(a, low)) {
        low = a;
        least = at(first, less(*at(first, i + 1), *at(first, i)) ? i + 1 : i);
      }
      if (i == 0 || !less(b, high)) {
        high = b;
        most = at(first, less(*at(first, i + 1), *at(first, i)) ? i : i + 1);
      }
    }
    if (n % 2 != 0) {
      It const end = at(first, n - 1);
      value const x = *end;
      if (less(x, low))
        least = end;
      else if (!less(x, high))
        most = end;
    }
    return {least, most};
  } else {
    return std::minmax_element(first, last, std::ref(less));
  }
}

struct min_element_algorithm : algorithm<min_element_algorithm> {
  template <class It, class Less = std::less<>>
  static It sequential(It first, It last, Less less = {}) {
    return extreme<false>(first, last, less);
  }
  template <class It, class Less = std::less<>>
  static It parallel(const settings& how, It first, It last, Less less = {}) {
    auto best = [&less](It a, It b) { return less(*b, *a) ? b : a; };
    return fold<It>(
               how, length(first, last), best,
               [&](index from, index to) { return extreme<false>(at(first, from), at(first, to), less); }, first)
        .value_or(last);
  }
};

struct max_element_algorithm : algorithm<max_element_algorithm> {
  template <class It, class Less = std::less<>>
  static It sequential(It first, It last, Less less = {}) {
    return extreme<true>(first, last, less);
  }
  template <class It, class Less = std::less<>>
  static It parallel(const settings& how, It first, It last, Less less = {}) {
    auto best = [&less](It a, It b) { return less(*a, *b) ? b : a; };
    return fold<It>(
               how, length(first, last), best,
               [&](index from, index to) { return extreme<true>(at(first, from), at(first, to), less); }, first)
        .value_or(last);
  }
};

struct minmax_element_algorithm : algorithm<minmax_element_algorithm> {
  template <class It, class Less = std::less<>>
  static std::pair<It, It> sequential(It first, It last, Less less = {}) {
    return extremes(first, last, less);
  }
  template <class It, class Less = std::less<>>
  static std::pair<It, It> parallel(const settings& how, It first, It last, Less less = {}) {
    using both = std::pair<It, It>;
    auto best = [&less](const both& a, const both& b) {
      return both(less(*b.first, *a.first) ? b.first : a.first, less(*b.second, *a.second) ? a.second : b.second);
    };
    return fold<both>(
               how, length(first, last), best,
               [&](index from, index to) { return extremes(at(first, from), at(first, to), less); }, first)
        .value_or(both(last, last));
  }
};

}  // namespace algo

/// min_element([policy,] first, last[, less]): the first of the smallest; last if there is none.
inline constexpr algo::min_element_algorithm min_element{};
/// max_element([policy,] first, last[, less]): the first of the largest; last if there is none.
inline constexpr algo::max_element_algorithm max_element{};
/// minmax_element([policy,] first, last[, less]): a pair, the first of the smallest and the last of the largest.
inline constexpr algo::minmax_element_algorithm minmax_element{};
namespace ranges {
inline constexpr algo::over_ranges<algo::min_element_algorithm, 1, algo::behind_function<2, std::less<>>> min_element{};
inline constexpr algo::over_ranges<algo::max_element_algorithm, 1, algo::behind_function<2, std::less<>>> max_element{};
inline constexpr algo::over_ranges<algo::minmax_element_algorithm, 1, algo::behind_function<2, std::less<>>,
                                   algo::smallest_and_largest>
    minmax_element{};
}  // namespace ranges

}  // namespace amity
