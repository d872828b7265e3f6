#pragma once

/// sort, stable_sort, partial_sort, partial_sort_copy.
///
///     amity::sort(amity::execution::par, v.begin(), v.end(), std::greater<>());
///
/// A merge sort from the leaves up: 2^L parts are sorted (std::sort, of numbers quicksort.hpp; std::stable_sort), then
/// come L levels of parallel merging along merge paths (merge.hpp), between the range and memory for as many elements.
/// What is in order already, or in the opposite order, is not sorted. Elements are moved, never copied.
/// Numbers that are not mostly in order are cheaper to partition than to merge: parallel_quicksort.hpp.
/// Without moves that can't throw, it is std's. If the comparison throws, the elements are in some order, and some may
/// be moved from, as with std::stable_sort.

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/algo/merge.hpp"
#include "amity/algo/parallel_quicksort.hpp"
#include "amity/algo/partitioning.hpp"
#include "amity/algo/quicksort.hpp"

namespace amity {

namespace algo {

/// L for n elements: odd, or even, so that the last merge ends in the range. 0: it isn't worth it.
[[nodiscard]] AMITY_API unsigned sort_levels(const settings& how, index n, bool odd) noexcept;

/// What a range is found to be in before it is sorted. `descending`: without equal ones, so that it may be turned
/// round.
enum class found_order : std::uint8_t { none, ascending, descending };

template <class It, class Less>
found_order order_of(It first, It last, Less& less) {
  if (first == last || std::next(first) == last) return found_order::ascending;
  if (!less(*std::next(first), *first))
    return std::is_sorted(first, last, std::ref(less)) ? found_order::ascending : found_order::none;
  auto const rises = [&less](auto&& a, auto&& b) {
    return !less(std::forward<decltype(b)>(b), std::forward<decltype(a)>(a));
  };
  return std::adjacent_find(first, last, rises) == last ? found_order::descending : found_order::none;
}

/// Equal whole numbers are the same, so for them any sort is stable.
template <bool Stable, class It, class Less>
inline constexpr bool sorts_in_place = without_branches<value_of<It>, Less>&& is_random_access_v<It> &&
                                       (!Stable || std::is_integral_v<value_of<It>>);

/// By the caller alone.
template <bool Stable, class It, class Less>
void sort_unordered(It first, It last, Less& less) {
  if constexpr (sorts_in_place<Stable, It, Less>)
    sort_numbers(first, last, less);
  else if constexpr (Stable)
    std::stable_sort(first, last, std::ref(less));
  else
    std::sort(first, last, std::ref(less));
}
template <bool Stable, class It, class Less>
void sort_alone(It first, It last, Less& less) {
  switch (order_of(first, last, less)) {
    case found_order::ascending:
      break;
    case found_order::descending:
      std::reverse(first, last);
      break;
    case found_order::none:
      sort_unordered<Stable>(first, last, less);
  }
}

template <bool Stable, class It, class Less>
class merge_sort {
  using value = value_of<It>;

 public:
  /// Elements whose lives need no care can be merged into raw memory. Others are first moved there.
  static constexpr bool begins_away = !std::is_trivially_copyable_v<value>;

  merge_sort(const settings& how, It first, index n, unsigned levels, Less& less)
      : how_(how),
        how_of_pieces_(how),
        first_(first),
        n_(n),
        levels_(levels),
        less_(less),
        found_(index{1} << levels),
        cuts_(begins_away ? index{1} << levels : 0) {
    if (how_.how == chunking::automatic) how_.how = chunking::equal;
    how_.chunk = 1;
  }

  /// False: there is no memory for it, and nothing was changed.
  [[nodiscard]] bool run() {
    each_part([this](index i) { found_[i] = order_of(at(first_, border(i)), at(first_, border(i + 1)), less_); });
    if (all_are(found_order::ascending)) return true;
    if (all_are(found_order::descending)) {
      turn_round();
      return true;
    }
    if constexpr (sorts_in_place<Stable, It, Less>) {
      auto const unordered = std::count(found_.begin(), found_.end(), found_order::none);
      if (static_cast<index>(unordered) > found_.size() / 2) {
        parallel_quicksort<It, Less>(how_of_pieces_, less_, n_ >> levels_).run(first_, at(first_, n_));
        return true;
      }
    }
    moved_away<value> away(n_);
    if (!away) return false;
    sort_by_merging(away);
    return true;
  }

 private:
  void sort_by_merging(moved_away<value>& away) {
    each_part([this](index i) { sort_part(i); });
    if constexpr (begins_away) {
      each_part([this, &away](index i) {
        std::uninitialized_move(at(first_, border(i)), at(first_, border(i + 1)), away.data() + border(i));
      });
      away.filled();
    }
    for (unsigned level = 0; level < levels_; ++level)
      if ((level % 2 == 0) == begins_away)
        merge_level(away.data(), first_, level);
      else
        merge_level(first_, away.data(), level);
  }

  template <class F>
  void each_part(F f) {
    over_elements(how_, index{1} << levels_, [&f](index i, index end) {
      for (; i < end; ++i) f(i);
    });
  }

  /// Where part i begins: n * i / parts, without so large a number.
  [[nodiscard]] index border(index i) const noexcept {
    index const rest = n_ & ((index{1} << levels_) - 1);
    return (n_ >> levels_) * i + ((rest * i) >> levels_);
  }

  /// Each part, and neighbours of different parts.
  [[nodiscard]] bool all_are(found_order wanted) const {
    for (index i = 0; i >> levels_ == 0; ++i) {
      index const begin = border(i);
      if (found_[i] != wanted) return false;
      if (begin != 0 && less_(*at(first_, begin), *at(first_, begin - 1)) != (wanted == found_order::descending))
        return false;
    }
    return true;
  }

  void turn_round() {
    each_part([this](index i) {
      for (index k = border(i) / 2; k < border(i + 1) / 2; ++k) std::iter_swap(at(first_, k), at(first_, n_ - 1 - k));
    });
  }

  void sort_part(index i) {
    It const from = at(first_, border(i)), to = at(first_, border(i + 1));
    if (found_[i] == found_order::none)
      sort_unordered<Stable>(from, to, less_);
    else if (found_[i] == found_order::descending)
      std::reverse(from, to);
  }

  /// What piece i belongs to: one of the level's merges, each of which makes one run of 2^(level + 1) parts.
  struct run_of {
    index begin, middle, end;  ///< elements
    bool first, last;          ///< of its pieces
  };
  [[nodiscard]] run_of run_at(index i, unsigned level) const noexcept {
    index const parts = index{2} << level, first = i / parts * parts;
    return {border(first), border(first + parts / 2), border(first + parts), i == first, i + 1 == first + parts};
  }

  template <class From, class To>
  void merge_level(From from, To to, unsigned level) {
    if constexpr (!begins_away) {
      each_part([&](index i) {
        run_of const r = run_at(i, level);
        merge_part<true>(at(from, r.begin), r.middle - r.begin, at(from, r.middle), r.end - r.middle, at(to, r.begin),
                         border(i) - r.begin, border(i + 1) - r.begin, less_);
      });
    } else {
      each_part([&](index i) {
        run_of const r = run_at(i, level);
        cuts_.find(i, at(from, r.begin), r.middle - r.begin, at(from, r.middle), r.end - r.middle, border(i) - r.begin,
                   less_);
      });
      for (index i = 1; i >> levels_ == 0; ++i)
        if (!run_at(i, level).first) cuts_.settle(i, border(i) - border(i - 1));
      each_part([&](index i) {
        run_of const r = run_at(i, level);
        cuts_.merge(i, r.last, at(from, r.begin), r.middle - r.begin, at(from, r.middle), at(to, r.begin),
                    border(i) - r.begin, border(i + 1) - r.begin, less_);
      });
    }
  }

  settings how_;  ///< of parts
  settings how_of_pieces_;
  It first_;
  index n_;
  unsigned levels_;
  Less& less_;
  std::vector<found_order> found_;  ///< of each part
  merge_cuts cuts_;
};

template <bool Stable, class It, class Less>
void sort_in_parallel(const settings& how, It first, It last, Less& less) {
  using value = value_of<It>;
  if constexpr (moved_away<value>::possible) {
    using sorter = merge_sort<Stable, It, Less>;
    index const n = length(first, last);
    if (unsigned const levels = sort_levels(how, n, sorter::begins_away); levels != 0) {
      if (sorter(how, first, n, levels, less).run()) return;
    }
  }
  sort_alone<Stable>(first, last, less);
}

template <class It, class Less>
constexpr bool accepts_order() {
  using element = decltype(*std::declval<std::decay_t<It>&>());
  constexpr bool compares = std::is_invocable_r_v<bool, std::decay_t<Less>&, element, element>;
  static_assert(compares, "sort: two elements of the range can't be compared by this order: bool less(a, b)");
  return compares;
}

struct sort_algorithm : algorithm<sort_algorithm> {
  template <class It, class, class Less = std::less<>>
  static constexpr bool accepts() {
    return accepts_order<It, Less>();
  }
  template <class It, class Less = std::less<>>
  static void sequential(It first, It last, Less less = {}) {
    sort_alone<false>(first, last, less);
  }
  template <class It, class Less = std::less<>>
  static void parallel(const settings& how, It first, It last, Less less = {}) {
    sort_in_parallel<false>(how, first, last, less);
  }
};

struct stable_sort_algorithm : algorithm<stable_sort_algorithm> {
  template <class It, class, class Less = std::less<>>
  static constexpr bool accepts() {
    return accepts_order<It, Less>();
  }
  template <class It, class Less = std::less<>>
  static void sequential(It first, It last, Less less = {}) {
    sort_alone<true>(first, last, less);
  }
  template <class It, class Less = std::less<>>
  static void parallel(const settings& how, It first, It last, Less less = {}) {
    sort_in_parallel<true>(how, first, last, less);
  }
};

/// The smallest `k` of all to the front, sorted, where they are few: of each piece first, which finds them with hardly
/// a comparison for most elements. Then those of the pieces compete in a heap.
template <class It, class Less>
void choose_few(const settings& how, It first, It last, index k, index pieces, Less& less) {
  index const n = length(first, last);
  auto const border = [&](index i) { return n / pieces * i + n % pieces * i / pieces; };
  settings each = how;
  each.how = chunking::first_come;
  each.chunk = 1;
  over_elements(each, pieces, [&](index i, index end) {
    for (; i < end; ++i)
      std::partial_sort(at(first, border(i)), at(first, border(i) + k), at(first, border(i + 1)), std::ref(less));
  });
  It const middle = at(first, k);
  std::make_heap(first, middle, std::ref(less));
  for (index i = 1; i < pieces; ++i) {
    It candidate = at(first, border(i));
    for (index left = k; left != 0 && less(*candidate, *first); --left, (void)++candidate) {
      std::pop_heap(first, middle, std::ref(less));
      std::iter_swap(std::prev(middle), candidate);
      std::push_heap(first, middle, std::ref(less));
    }
  }
  std::sort_heap(first, middle, std::ref(less));
}

/// Chooses the smallest, then sorts them.
struct partial_sort_algorithm : algorithm<partial_sort_algorithm> {
  /// Of so many elements one alone finds a few sooner than others come to help.
  template <class It, class Less>
  static constexpr index small = without_branches<value_of<It>, Less> ? 1 << 16 : 1 << 14;

  template <class It, class Less = std::less<>>
  static void sequential(It first, It middle, It last, Less less = {}) {
    std::partial_sort(first, middle, last, std::ref(less));
  }
  template <class It, class Less = std::less<>>
  static void parallel(const settings& how, It first, It middle, It last, Less less = {}) {
    if (first == middle) return;
    index const k = length(first, middle), n = length(first, last), pieces = index{4} * parties(how);
    if (how.how == chunking::automatic && n <= small<It, Less> && k <= n / 64)
      return sequential(first, middle, last, std::ref(less));
    if (k <= n / pieces / 64) return choose_few(how, first, last, k, pieces, less);
    if (middle != last) nth_element_algorithm::parallel(how, first, middle, last, std::ref(less));
    sort_algorithm::parallel(how, first, middle, std::ref(less));
  }
};

/// Knows of projections itself, since it compares elements of both ranges: of the input, and of the output.
struct partial_sort_copy_algorithm : algorithm<partial_sort_copy_algorithm> {
  template <class It, class Out, class Less = std::less<>, class P = std::identity, class Q = std::identity>
  static Out sequential(It first, It last, Out out, Out out_last, Less less = {}, P p = {}, Q q = {}) {
    if constexpr (change_nothing<P, Q>)
      return std::partial_sort_copy(first, last, out, out_last, std::ref(less));
    else
      return std::ranges::partial_sort_copy(first, last, out, out_last, std::ref(less), std::ref(p), std::ref(q)).out;
  }
  /// Sorts copies of the input by its projection; the output's must give the same order.
  template <class It, class Out, class Less = std::less<>, class P = std::identity, class Q = std::identity>
  static Out parallel(const settings& how, It first, It last, Out out, Out out_last, Less less = {}, P p = {},
                      Q q = {}) {
    if constexpr (std::is_same_v<value_of<It>, bool>) {  // whose vector can't be shared
      return sequential(first, last, out, out_last, std::ref(less), std::ref(p), std::ref(q));
    } else {
      index const n = length(first, last), m = std::min(n, length(out, out_last));
      std::vector<value_of<It>> all(first, last);
      auto by = project(std::ref(less), std::ref(p));
      partial_sort_algorithm::parallel(how, all.begin(), at(all.begin(), m), all.end(), by);
      over_elements(
          how, m, [&](index from, index to) { std::move(at(all.begin(), from), at(all.begin(), to), at(out, from)); });
      return at(out, m);
    }
  }
};

}  // namespace algo

/// sort([policy,] first, last[, less]). Takes memory for all elements; where there is none, and where moves may throw,
/// it is std's.
inline constexpr algo::sort_algorithm sort{};
/// stable_sort([policy,] first, last[, less]): equals stay in their order. Memory as sort.
inline constexpr algo::stable_sort_algorithm stable_sort{};
/// partial_sort([policy,] first, middle, last[, less]): the smallest stand sorted in [first, middle), the others in any
/// order behind.
inline constexpr algo::partial_sort_algorithm partial_sort{};
/// partial_sort_copy([policy,] first, last, out, out_last[, less]): the smallest, sorted, as many as there is room for;
/// the end of the output.
inline constexpr algo::partial_sort_copy_algorithm partial_sort_copy{};
namespace ranges {
inline constexpr algo::over_ranges<algo::sort_algorithm, 1, algo::behind_function<2, std::less<>>, algo::end_of_range<>>
    sort{};
inline constexpr algo::over_ranges<algo::stable_sort_algorithm, 1, algo::behind_function<2, std::less<>>,
                                   algo::end_of_range<>>
    stable_sort{};
inline constexpr algo::over_ranges<algo::partial_sort_copy_algorithm, 2, algo::left_to_the_algorithm<4, std::less<>>,
                                   algo::first_in_and_out>
    partial_sort_copy{};
inline constexpr algo::over_range_around<algo::partial_sort_algorithm, algo::behind_function<3, std::less<>>,
                                         algo::end_of_range<3>>
    partial_sort{};
}  // namespace ranges

}  // namespace amity
