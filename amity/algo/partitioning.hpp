#pragma once

/// partition, stable_partition, nth_element.
///
///     auto middle = amity::partition(amity::execution::par, v.begin(), v.end(), is_small);
///
/// partition works in place: each chunk by itself, then what stands on the wrong side changes places. stable_partition
/// needs memory for all elements; without that, or moves that can't throw, it is std's.

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "amity/algo/iterators.hpp"
#include "amity/algo/quicksort.hpp"

namespace amity {

namespace algo {

/// A chunk of which [first, middle) holds and [middle, last) does not.
struct split_part {
  index first = 0, middle = 0, last = 0;
};

/// Splits each chunk by itself with `split(first, last)`; `join(a, b, c)`, of a chunk that grows: [a, b) does not hold
/// and [b, c) does; changes that and gives the new border.
template <class It, class Split, class Join>
slot_results<split_part> split_chunks(const settings& how, It first, index n, Split&& split, Join&& join) {
  partition p(how, n, most_slots);
  slot_results<split_part> parts;
  over_slots(p, parts, [&](split_part& part, index from, index to) {
    index const middle = static_cast<index>(split(at(first, from), at(first, to)) - first);
    if (part.last != 0) {
      part.middle = static_cast<index>(join(at(first, part.middle), at(first, from), at(first, middle)) - first);
    } else {
      part.first = from;
      part.middle = middle;
    }
    part.last = to;
  });
  return parts;
}

/// Pieces of a range that are counted through.
class pieces {
 public:
  void add(index first, index last) {
    if (first >= last) return;
    begins_.push_back(first);
    before_.push_back(total_);
    total_ += last - first;
  }
  [[nodiscard]] index total() const noexcept { return total_; }

  /// Goes from the k-th element on.
  class cursor {
   public:
    cursor(const pieces& of, index k) : of_(&of) {
      auto const after = std::upper_bound(of.before_.begin(), of.before_.end(), k);
      piece_ = static_cast<std::size_t>(after - of.before_.begin()) - 1;
      enter(k - of.before_[piece_]);
    }
    [[nodiscard]] index operator*() const noexcept { return at_; }
    void next() {
      if (++at_ == end_ && piece_ + 1 < of_->begins_.size()) {
        ++piece_;
        enter(0);
      }
    }

   private:
    void enter(index offset) {
      index const after = piece_ + 1 < of_->before_.size() ? of_->before_[piece_ + 1] : of_->total_;
      at_ = of_->begins_[piece_] + offset;
      end_ = of_->begins_[piece_] + (after - of_->before_[piece_]);
    }
    const pieces* of_;
    std::size_t piece_ = 0;
    index at_ = 0, end_ = 0;
  };

 private:
  std::vector<index> begins_, before_;
  index total_ = 0;
};

/// partition of each chunk by `split(first, last)`, and then what stands on the wrong side changes places.
template <class It, class Split>
It partition_in_parallel(const settings& how, It first, It last, Split&& split) {
  auto parts = split_chunks(how, first, length(first, last), split, [](It a, It b, It c) {
    auto const less = std::min(b - a, c - b);
    std::swap_ranges(a, a + less, c - less);
    return a + (c - b);
  });
  index holds = 0;
  parts.each([&](const split_part& part) { holds += part.middle - part.first; });
  pieces wrong_left, wrong_right;  // as many here as there
  parts.each([&](const split_part& part) {
    wrong_left.add(part.middle, std::min(part.last, holds));
    wrong_right.add(std::max(part.first, holds), part.middle);
  });
  over_elements(how, wrong_left.total(), [&](index from, index to) {
    pieces::cursor left(wrong_left, from), right(wrong_right, from);
    for (; from < to; ++from, left.next(), right.next()) std::iter_swap(at(first, *left), at(first, *right));
  });
  return at(first, holds);
}

struct partition_algorithm : algorithm<partition_algorithm> {
  template <class It, class F>
  static It sequential(It first, It last, F f) {
    if constexpr (is_random_access_v<It> && std::is_arithmetic_v<value_of<It>>)
      return split_without_branches(first, last, std::ref(f));
    else
      return std::partition(first, last, std::ref(f));
  }
  template <class It, class F>
  static It parallel(const settings& how, It first, It last, F f) {
    return partition_in_parallel(how, first, last, [&](It from, It to) { return sequential(from, to, std::ref(f)); });
  }
};

struct stable_partition_algorithm : algorithm<stable_partition_algorithm> {
  template <class It, class F>
  static It sequential(It first, It last, F f) {
    return std::stable_partition(first, last, std::ref(f));
  }
  template <class It, class F>
  static It parallel(const settings& how, It first, It last, F f) {
    using value = value_of<It>;
    if constexpr (!moved_away<value>::possible) {
      return sequential(first, last, std::ref(f));
    } else {
      moved_away<value> away(length(first, last));
      if (!away) return sequential(first, last, std::ref(f));
      auto parts = split_chunks(
          how, first, length(first, last), [&](It from, It to) { return std::stable_partition(from, to, std::ref(f)); },
          [](It a, It b, It c) { return std::rotate(a, b, c); });
      return gather(how, first, length(first, last), parts, away);
    }
  }

 private:
  template <class It>
  static It gather(const settings& how, It first, index n, slot_results<split_part>& split,
                   moved_away<value_of<It>>& away) {
    std::vector<split_part> parts;
    index holds = 0;
    split.each([&](const split_part& part) {
      parts.push_back(part);
      holds += part.middle - part.first;
    });
    if (parts.size() == 1) return at(first, holds);
    std::vector<std::pair<index, index>> to;  // where each part's two halves go
    index yes = 0, no = holds;
    for (const split_part& part : parts) {
      to.emplace_back(yes, no);
      yes += part.middle - part.first;
      no += part.last - part.middle;
    }
    settings each = how;
    if (each.how == chunking::automatic) each.how = chunking::equal;
    each.chunk = 1;
    over_elements(each, parts.size(), [&](index i, index end) {
      for (; i < end; ++i) {
        std::uninitialized_move(at(first, parts[i].first), at(first, parts[i].middle), away.data() + to[i].first);
        std::uninitialized_move(at(first, parts[i].middle), at(first, parts[i].last), away.data() + to[i].second);
      }
    });
    away.filled();
    over_elements(how, n, [&](index i, index end) { std::move(away.data() + i, away.data() + end, at(first, i)); });
    return at(first, holds);
  }
};

/// Quickselect (Hoare, 1961) with a pivot of nine and the parallel partition, until what is left is small.
struct nth_element_algorithm : algorithm<nth_element_algorithm> {
  template <class It, class Less = std::less<>>
  static void sequential(It first, It nth, It last, Less less = {}) {
    std::nth_element(first, nth, last, std::ref(less));
  }
  template <class It, class Less = std::less<>>
  static void parallel(const settings& how, It first, It nth, It last, Less less = {}) {
    index const small = how.how == chunking::automatic ? 1 << 14 : 64;
    if (nth == last) return;
    for (int rounds = 0; rounds < 64 && length(first, last) > small; ++rounds) {
      choose_pivot(first, last, less);
      It const rest = at(first, 1);
      It middle = partition_algorithm::parallel(how, rest, last,
                                                [&](auto&& x) { return less(std::forward<decltype(x)>(x), *first); });
      It const place = std::prev(middle);  // of the pivot
      std::iter_swap(first, place);
      if (nth == place) return;
      if (nth < place) {
        last = place;
        continue;
      }
      if (place == first) {  // nothing is smaller: those that equal the pivot are done, too
        middle = partition_algorithm::parallel(how, rest, last,
                                               [&](auto&& x) { return !less(*first, std::forward<decltype(x)>(x)); });
        if (nth < middle) return;
      }
      first = middle;
    }
    std::nth_element(first, nth, last, std::ref(less));
  }

 private:
  /// Brings the median of nine to the front.
  template <class It, class Less>
  static void choose_pivot(It first, It last, Less& less) {
    index const step = length(first, last) / 9;
    auto const median = [&](It a, It b, It c) {
      if (less(*a, *b)) return less(*b, *c) ? b : (less(*a, *c) ? c : a);
      return less(*a, *c) ? a : (less(*b, *c) ? c : b);
    };
    It thirds[3];
    for (index i = 0; i < 3; ++i)
      thirds[i] = median(at(first, 3 * i * step), at(first, (3 * i + 1) * step), at(first, (3 * i + 2) * step));
    std::iter_swap(first, median(thirds[0], thirds[1], thirds[2]));
  }
};

}  // namespace algo

/// partition([policy,] first, last, p): those for which p holds come first, in any order; their end.
inline constexpr algo::partition_algorithm partition{};
/// stable_partition([policy,] first, last, p): the same, each side in the order that it had. Takes memory for all
/// elements, and is std's where there is none.
inline constexpr algo::stable_partition_algorithm stable_partition{};
/// nth_element([policy,] first, nth, last[, less]): at nth stands what would stand there if all was sorted; nothing
/// before it is larger, nothing behind it smaller.
inline constexpr algo::nth_element_algorithm nth_element{};
namespace ranges {
inline constexpr algo::over_ranges<algo::partition_algorithm, 1, algo::behind_function<2>, algo::rest_of_range<>>
    partition{};
inline constexpr algo::over_ranges<algo::stable_partition_algorithm, 1, algo::behind_function<2>, algo::rest_of_range<>>
    stable_partition{};
inline constexpr algo::over_range_around<algo::nth_element_algorithm, algo::behind_function<3, std::less<>>,
                                         algo::end_of_range<3>>
    nth_element{};
}  // namespace ranges

}  // namespace amity
