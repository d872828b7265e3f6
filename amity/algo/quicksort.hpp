#pragma once

/// The sort of numbers that one thread does: what `sort` runs on its parts, and where there is one worker only.
///
///     algo::sort_numbers(v.begin(), v.end(), less);
///
/// Quicksort (Hoare, 1961) whose partition has no branch that depends on the elements: Lomuto's, which swaps in every
/// step and then moves the border or does not ("branchless Lomuto", Alexandrescu, 2020). Of random numbers std::sort
/// mispredicts every second comparison, which costs more than the swaps. Equal elements are taken out together, and
/// bad pivots end in heap sort (introsort, Musser, 1997; both as in Peters, "Pattern-defeating Quicksort", 2021).
/// Elements are only ever swapped, within the range: an order that is none, as of NaNs, leaves them in some order.

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <utility>

#include "amity/algo/iterators.hpp"

namespace amity::algo {

/// Those that are `in_front` come first; where the others begin. For numbers, of which copies are cheap.
template <class It, class InFront>
It split_without_branches(It first, It last, InFront in_front) {
  It border = first;
  for (; first != last; ++first) {
    value_of<It> x = *first;
    *first = *border;
    *border = x;
    border += in_front(x) ? 1 : 0;
  }
  return border;
}

template <class It, class Less>
class quicksort {
  using value = value_of<It>;
  using distance = std::iter_difference_t<It>;

 public:
  explicit quicksort(Less& less) noexcept : less_(less) {}

  /// `below`: the number in front of the range, or another, that is not larger than any in it.
  void run(It first, It last, std::optional<value> below = std::nullopt) {
    auto const n = static_cast<index>(last - first);
    sort(first, last, 2 * static_cast<unsigned>(std::bit_width(n)), below);
  }

 private:
  static constexpr distance few = 20;    ///< insertion sort is faster
  static constexpr distance many = 128;  ///< worth a better pivot

  void sort(It first, It last, unsigned bad_pivots, std::optional<value> below) {
    while (last - first > few) {
      if (bad_pivots == 0) {
        std::make_heap(first, last, std::ref(less_));
        std::sort_heap(first, last, std::ref(less_));
        return;
      }
      choose_pivot(first, last);
      value const pivot = *first;
      if (below.has_value() && !less_(*below, pivot)) {  // the smallest there is: all like it are in place
        first = split_without_branches(first, last, [&](const value& x) { return !less_(pivot, x); });
        continue;
      }
      It const middle = split_without_branches(first + 1, last, [&](const value& x) { return less_(x, pivot); }) - 1;
      std::iter_swap(first, middle);
      distance const smaller = std::min(middle - first, last - middle);
      if (smaller < (last - first) / 8) --bad_pivots;
      sort(first, middle, bad_pivots, below);
      first = middle + 1;
      below = pivot;
    }
    insertion_sort(first, last);
  }

  void order(It a, It b) {
    value const x = *a, y = *b;
    bool const swapped = less_(y, x);
    *a = swapped ? y : x;
    *b = swapped ? x : y;
  }
  /// The median becomes the one in the middle.
  void order(It a, It b, It c) {
    order(a, b);
    order(b, c);
    order(a, b);
  }

  void choose_pivot(It first, It last) {
    distance const half = (last - first) / 2;
    It const middle = first + half;
    if (last - first > many) {
      order(first, middle, last - 1);
      order(first + 1, middle - 1, last - 2);
      order(first + 2, middle + 1, last - 3);
      order(middle - 1, middle, middle + 1);
    } else {
      order(first, middle, last - 1);
    }
    std::iter_swap(first, middle);
  }

  void insertion_sort(It first, It last) {
    if (first == last) return;
    for (It i = first + 1; i < last; ++i) {
      value const x = *i;
      It hole = i;
      for (; hole != first && less_(x, *(hole - 1)); --hole) *hole = *(hole - 1);
      *hole = x;
    }
  }

  Less& less_;
};

template <class It, class Less>
void sort_numbers(It first, It last, Less& less) {
  quicksort<It, Less>(less).run(first, last);
}

}  // namespace amity::algo
