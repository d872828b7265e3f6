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

struct min_element_algorithm : algorithm<min_element_algorithm> {
  template <class It, class Less = std::less<>>
  static It sequential(It first, It last, Less less = {}) {
    return std::min_element(first, last, std::ref(less));
  }
  template <class It, class Less = std::less<>>
  static It parallel(const settings& how, It first, It last, Less less = {}) {
    auto best = [&less](It a, It b) { return less(*b, *a) ? b : a; };
    return fold<It>(
               how, length(first, last), best,
               [&](index from, index to) { return std::min_element(at(first, from), at(first, to), std::ref(less)); })
        .value_or(last);
  }
};

struct max_element_algorithm : algorithm<max_element_algorithm> {
  template <class It, class Less = std::less<>>
  static It sequential(It first, It last, Less less = {}) {
    return std::max_element(first, last, std::ref(less));
  }
  template <class It, class Less = std::less<>>
  static It parallel(const settings& how, It first, It last, Less less = {}) {
    auto best = [&less](It a, It b) { return less(*a, *b) ? b : a; };
    return fold<It>(
               how, length(first, last), best,
               [&](index from, index to) { return std::max_element(at(first, from), at(first, to), std::ref(less)); })
        .value_or(last);
  }
};

struct minmax_element_algorithm : algorithm<minmax_element_algorithm> {
  template <class It, class Less = std::less<>>
  static std::pair<It, It> sequential(It first, It last, Less less = {}) {
    return std::minmax_element(first, last, std::ref(less));
  }
  template <class It, class Less = std::less<>>
  static std::pair<It, It> parallel(const settings& how, It first, It last, Less less = {}) {
    using both = std::pair<It, It>;
    auto best = [&less](const both& a, const both& b) {
      return both(less(*b.first, *a.first) ? b.first : a.first, less(*b.second, *a.second) ? a.second : b.second);
    };
    return fold<both>(how, length(first, last), best,
                      [&](index from, index to) {
                        return std::minmax_element(at(first, from), at(first, to), std::ref(less));
                      })
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
inline constexpr algo::over_ranges<algo::minmax_element_algorithm, 1, algo::behind_function<2, std::less<>>>
    minmax_element{};
}  // namespace ranges

}  // namespace amity
