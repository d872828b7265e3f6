#pragma once

/// make_heap.
///
///     amity::make_heap(amity::execution::par, v.begin(), v.end());
///
/// From the leaves up (Floyd, "Algorithm 245: Treesort 3", 1964). The parts of the tree below some level have nothing
/// in common: each is made a heap by itself, in parallel, then the caller does the few nodes above them.

#include <algorithm>
#include <functional>
#include <iterator>

#include "amity/algo/iterators.hpp"

namespace amity {

namespace algo {

/// Of n elements, lets the one at `i` sink until none below it is larger. Whatever `less` throws, all stay there.
template <class It, class Less>
void sink(It first, index n, index i, Less& less) {
  while (i < n / 2) {
    index child = 2 * i + 1;
    if (child + 1 < n && less(*at(first, child), *at(first, child + 1))) ++child;
    if (!less(*at(first, i), *at(first, child))) return;
    std::iter_swap(at(first, i), at(first, child));
    i = child;
  }
}

struct make_heap_algorithm : algorithm<make_heap_algorithm> {
  /// Of so many elements one alone makes a heap sooner than others come to help.
  static constexpr index small = 1 << 14;

  template <class It, class Less = std::less<>>
  static void sequential(It first, It last, Less less = {}) {
    std::make_heap(first, last, std::ref(less));
  }
  template <class It, class Less = std::less<>>
  static void parallel(const settings& how, It first, It last, Less less = {}) {
    index const n = length(first, last);
    if (how.how == chunking::automatic && n < small) return sequential(first, last, std::ref(less));
    // The roots are those of the first level that has enough: root, root + 1, ..., 2 * root.
    index root = 0;
    while (root + 1 < index{8} * parties(how) && root < n / 4) root = 2 * root + 1;
    settings each = how;
    each.how = chunking::first_come;
    each.chunk = 1;
    over_elements(each, root + 1, [&](index from, index to) {
      for (; from < to; ++from) make_part(first, n, root + from, less);
    });
    while (root != 0) sink(first, n, --root, less);
  }

 private:
  /// All nodes below `root`, the lowest level first.
  template <class It, class Less>
  static void make_part(It first, index n, index root, Less& less) {
    index left = root, width = 1;
    while (2 * left + 1 < n / 2) {
      left = 2 * left + 1;
      width *= 2;
    }
    for (;; left = (left - 1) / 2, width /= 2) {
      for (index i = std::min(left + width, n / 2); i > left;) sink(first, n, --i, less);
      if (left == root) return;
    }
  }
};

}  // namespace algo

/// make_heap([policy,] first, last[, less]): puts the elements into an order that pop_heap and sort_heap of std take,
/// the largest first. If the comparison throws, the elements are in some order.
inline constexpr algo::make_heap_algorithm make_heap{};
namespace ranges {
inline constexpr algo::over_ranges<algo::make_heap_algorithm, 1, algo::behind_function<2, std::less<>>,
                                   algo::end_of_range<>>
    make_heap{};
}  // namespace ranges

}  // namespace amity
