#pragma once

/// The parallel sort of numbers, in place.
///
///     algo::parallel_quicksort by(how, less, v.size() / 16);
///     by.run(v.begin(), v.end());
///
/// Rounds of partitioning cut the range until every piece is short enough; then each is sorted by one worker
/// (quicksort.hpp), the longest first. While there are fewer pieces than workers, all of them partition each piece
/// together: each chunk by itself, then what stands on the wrong side changes places (as in Tsigas and Zhang, "A
/// Simple, Fast Parallel Implementation of Quicksort", 2003). Pivots are medians of samples, so pieces are about equal.

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "amity/algo/iterators.hpp"
#include "amity/algo/partitioning.hpp"
#include "amity/algo/quicksort.hpp"

namespace amity::algo {

template <class It, class Less>
class parallel_quicksort {
  using value = value_of<It>;

 public:
  /// `target`: a piece of so many elements is short enough.
  parallel_quicksort(const settings& how, Less& less, index target) noexcept
      : how_(how), one_each_(how), less_(less), target_(std::max(target, samples)) {
    one_each_.how = chunking::first_come;
    one_each_.chunk = 1;
  }

  void run(It first, It last) {
    std::vector<piece> large{{first, last, std::nullopt}}, small;
    // Where pivots are bad, pieces stay longer than they should: the quicksort of one worker deals with that.
    for (int rounds = 0; rounds < most_rounds && !large.empty(); ++rounds) {
      std::vector<piece> made(2 * large.size(), piece{last, last, std::nullopt});
      if (large.size() < parties(how_))
        for (index i = 0; i < large.size(); ++i) divide<true>(large[i], &made[2 * i]);
      else
        over_elements(one_each_, large.size(), [&](index i, index end) {
          for (; i < end; ++i) divide<false>(large[i], &made[2 * i]);
        });
      large.clear();
      for (piece const& p : made)
        if (p.size() > 1) (p.size() > target_ ? large : small).push_back(p);
    }
    small.insert(small.end(), large.begin(), large.end());
    std::sort(small.begin(), small.end(), [](const piece& a, const piece& b) { return a.size() > b.size(); });
    over_elements(one_each_, small.size(), [&](index i, index end) {
      for (; i < end; ++i) quicksort<It, Less>(less_).run(small[i].first, small[i].last, small[i].below);
    });
  }

 private:
  static constexpr int most_rounds = 40;
  static constexpr index samples = 61;

  struct piece {
    It first, last;
    std::optional<value> below;  ///< as in quicksort: not larger than any in here
    [[nodiscard]] index size() const noexcept { return static_cast<index>(last - first); }
  };

  /// Into `made`, which has room for two, what is still to be sorted of `p`.
  template <bool Together>
  void divide(const piece& p, piece* made) {
    value const pivot = sample(p.first, p.last);
    auto const equals_pivot = [&](const value& x) { return !less_(pivot, x); };
    if (p.below.has_value() && !less_(*p.below, pivot)) {  // the smallest there is: all like it are in place
      made[0] = {split<Together>(p.first, p.last, equals_pivot), p.last, pivot};
      return;
    }
    It const middle = split<Together>(p.first, p.last, [&](const value& x) { return less_(x, pivot); });
    made[0] = {p.first, middle, p.below};
    made[1] = {middle, p.last, pivot};
  }

  template <bool Together, class InFront>
  It split(It first, It last, InFront in_front) {
    auto const alone = [&](It from, It to) { return split_without_branches(from, to, in_front); };
    if constexpr (Together)
      return partition_in_parallel(how_, first, last, alone);
    else
      return alone(first, last);
  }

  /// About the median.
  value sample(It first, It last) {
    std::array<value, samples> some{};
    index const step = length(first, last) / some.size();
    for (index i = 0; i < some.size(); ++i) some[i] = *at(first, step / 2 + i * step);
    auto const middle = some.begin() + some.size() / 2;
    quicksort<value*, Less>(less_).run(some.data(), some.data() + some.size(), std::nullopt);
    return *middle;
  }

  settings how_, one_each_;
  Less& less_;
  index target_;
};

}  // namespace amity::algo
