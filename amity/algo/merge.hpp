#pragma once

/// merge, inplace_merge.
///
///     amity::merge(amity::execution::par, a.begin(), a.end(), b.begin(), b.end(), out.begin());
///
/// The output is cut into equal parts, and what goes into each is found by searching along the diagonal of a merge path
/// (Odeh, Green, Mwassi, Shmueli, Birk, 2012; Francis and Mathieson, 1988). Stable: of equal elements those of the
/// first range come first. inplace_merge needs memory for all elements; without that, or moves that can't throw, it is
/// std's.

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <vector>

#include "amity/algo/iterators.hpp"

namespace amity {

namespace algo {

/// How many of the first k elements of the merged sequence come from a.
template <class A, class B, class Less>
index merge_path(A a, index a_size, B b, index b_size, index k, Less& less) {
  index low = k > b_size ? k - b_size : 0, high = std::min(k, a_size);
  while (low < high) {
    index const middle = low + (high - low) / 2;
    if (less(*at(b, k - middle - 1), *at(a, middle)))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

template <bool Move, class Out, class In>
void put(Out& out, In& in) {
  if constexpr (Move)
    *out = std::move(*in);
  else
    *out = *in;
  ++out;
  ++in;
}

template <bool Move, class In, class Out>
Out put_all(In first, In last, Out out) {
  if constexpr (Move)
    return std::move(first, last, out);
  else
    return std::copy(first, last, out);
}

/// Numbers, from both ends at once: a step of one does not wait for a step of the other. Stops where a range may run
/// out, with all positions moved; whatever the order is worth, an element is taken once.
template <class A, class B, class Out, class Less>
void merge_from_both_ends(A& a, A& a_end, B& b, B& b_end, Out& out, Less& less) {
  Out out_end = at(out, length(a, a_end) + length(b, b_end));
  for (;;) {
    // At most so many are taken from one range by each end.
    index steps = std::min(length(a, a_end), length(b, b_end)) / 2;
    if (steps < 4) return;
    for (; steps != 0; --steps) {
      auto const x = *a, y = *b;
      bool const second = less(y, x);
      *out = second ? y : x;
      ++out;
      a += second ? 0 : 1;
      b += second ? 1 : 0;
      auto const u = *std::prev(a_end), v = *std::prev(b_end);
      bool const first = less(v, u);
      --out_end;
      *out_end = first ? u : v;
      a_end -= first ? 1 : 0;
      b_end -= first ? 0 : 1;
    }
  }
}

/// All of a and b, merged; never looks behind their ends, whatever the order is worth.
template <bool Move, class A, class B, class Out, class Less>
void merge_all(A a, A a_end, B b, B b_end, Out out, Less& less) {
  if (a != a_end && b != b_end) {
    if (!less(*b, *std::prev(a_end))) {  // in order as they are
      put_all<Move>(b, b_end, put_all<Move>(a, a_end, out));
      return;
    }
    if (less(*std::prev(b_end), *a)) {
      put_all<Move>(a, a_end, put_all<Move>(b, b_end, out));
      return;
    }
  }
  if constexpr (without_branches<value_of<A>, Less> && std::is_same_v<value_of<A>, value_of<B>>)
    merge_from_both_ends(a, a_end, b, b_end, out, less);
  while (a != a_end && b != b_end) {
    for (index steps = std::min(length(a, a_end), length(b, b_end)); steps != 0; --steps) {  // not behind an end
      if (less(*b, *a))
        put<Move>(out, b);
      else
        put<Move>(out, a);
    }
  }
  put_all<Move>(b, b_end, put_all<Move>(a, a_end, out));
}

/// Elements [from, to) of a and b, merged.
template <bool Move, class A, class B, class Out, class Less>
void merge_part(A a, index a_size, B b, index b_size, Out out, index from, index to, Less& less) {
  index const i = merge_path(a, a_size, b, b_size, from, less);
  // The part that comes next begins there.
  index const end = std::clamp(merge_path(a, a_size, b, b_size, to, less), i, i + (to - from));
  merge_all<Move>(at(a, i), at(a, end), at(b, from - i), at(b, to - end), at(out, from), less);
}

/// Where pieces of a merge that moves its elements begin. Searching for that looks at elements of other pieces, so all
/// of it is done before the first one is moved; and no order, however wrong, makes pieces overlap.
class merge_cuts {
 public:
  explicit merge_cuts(index pieces) : in_first_(pieces) {}

  /// Piece i begins at k of the merged sequence.
  template <class A, class B, class Less>
  void find(index i, A a, index a_size, B b, index b_size, index k, Less& less) {
    in_first_[i] = merge_path(a, a_size, b, b_size, k, less);
  }
  /// Piece i, which is `size` behind the one before it in the same merge.
  void settle(index i, index size) {
    in_first_[i] = std::clamp(in_first_[i], in_first_[i - 1], in_first_[i - 1] + size);
  }

  /// Merges piece i = [from, to); `last`: of its merge.
  template <class A, class B, class Out, class Less>
  void merge(index i, bool last, A a, index a_size, B b, Out out, index from, index to, Less& less) const {
    index const begin = in_first_[i], end = last ? a_size : in_first_[i + 1];
    merge_all<true>(at(a, begin), at(a, end), at(b, from - begin), at(b, to - end), at(out, from), less);
  }

 private:
  std::vector<index> in_first_;
};

struct merge_algorithm : algorithm<merge_algorithm> {
  template <class It, class It2, class Out, class Less = std::less<>>
  static Out sequential(It first, It last, It2 second, It2 second_last, Out out, Less less = {}) {
    if constexpr (is_random_access_v<It> && is_random_access_v<It2> && is_random_access_v<Out> &&
                  without_branches<value_of<It>, Less>) {
      merge_all<false>(first, last, second, second_last, out, less);
      return at(out, length(first, last) + length(second, second_last));
    } else {
      return std::merge(first, last, second, second_last, out, std::ref(less));
    }
  }
  template <class It, class It2, class Out, class Less = std::less<>>
  static Out parallel(const settings& how, It first, It last, It2 second, It2 second_last, Out out, Less less = {}) {
    index const n = length(first, last), m = length(second, second_last);
    over_elements(how, n + m,
                  [&](index from, index to) { merge_part<false>(first, n, second, m, out, from, to, less); });
    return at(out, n + m);
  }
};

struct inplace_merge_algorithm : algorithm<inplace_merge_algorithm> {
  template <class It, class Less = std::less<>>
  static void sequential(It first, It middle, It last, Less less = {}) {
    std::inplace_merge(first, middle, last, std::ref(less));
  }
  template <class It, class Less = std::less<>>
  static void parallel(const settings& how, It first, It middle, It last, Less less = {}) {
    using value = value_of<It>;
    if constexpr (!moved_away<value>::possible) {
      sequential(first, middle, last, std::ref(less));
    } else {
      index const n = length(first, middle), m = length(middle, last);
      if (n == 0 || m == 0 || !less(*middle, *std::prev(middle))) return;
      moved_away<value> away(n + m);
      if (!away) return sequential(first, middle, last, std::ref(less));
      over_elements(how, n + m, [&](index from, index to) {
        std::uninitialized_move(at(first, from), at(first, to), away.data() + from);
      });
      away.filled();
      merge_back(how, away.data(), n, away.data() + n, m, first, less);
    }
  }

 private:
  template <class A, class It, class Less>
  static void merge_back(const settings& how, A a, index n, A b, index m, It out, Less& less) {
    partition p(how, n + m, most_slots);
    p.assume(5);
    merge_cuts cuts(p.chunks());
    over_chunks(p, [&](std::size_t slot, index from, index) { cuts.find(slot - 1, a, n, b, m, from, less); });
    for (index i = 1; i < p.chunks(); ++i) cuts.settle(i, p.first_of(i) - p.first_of(i - 1));
    over_chunks(p, [&](std::size_t slot, index from, index to) {
      cuts.merge(slot - 1, slot == p.chunks(), a, n, b, out, from, to, less);
    });
  }
};

}  // namespace algo

/// merge([policy,] first, last, first2, last2, out[, less]): one sorted range of two; the end of the output. Stable: of
/// equals those of the first range come first.
inline constexpr algo::merge_algorithm merge{};
/// inplace_merge([policy,] first, middle, last[, less]): merges two sorted neighbours. Stable. Takes memory for all
/// elements, and is std's where there is none.
inline constexpr algo::inplace_merge_algorithm inplace_merge{};
namespace ranges {
inline constexpr algo::over_ranges<algo::merge_algorithm, 2, algo::behind_function_of_two<5, std::less<>, true>,
                                   algo::in_in_and_out>
    merge{};
inline constexpr algo::over_range_around<algo::inplace_merge_algorithm, algo::behind_function<3, std::less<>>,
                                         algo::end_of_range<3>>
    inplace_merge{};
}  // namespace ranges

}  // namespace amity
