#pragma once

/// Where several sorted sequences are to be cut, so that a given number of elements lies before the cut, and no element
/// before it belongs behind one that lies after it. Equal ones are in the order of their sequences.
///
///     cut const c = cut_at<const int*>(wanted, {a.size(), b.size()}, look, less);       // look: elements in windows
///     // the first `wanted` of all: [0, c[0]) of a and [0, c[1]) of b
///
/// Each sequence has a window that its cut lies in. In each round regular samples of all windows are put in order. The
/// samples of a sequence on both sides of an element bound how many of the sequence come before that element. So some
/// samples are surely before the cut, and some surely behind it, and windows shrink to what is in between: of W
/// elements in all windows at most 3 W / s and a few are left, where s samples were taken of each. When windows are so
/// small that samples are all of their elements, the cut is exact. So sequences may lie elsewhere, and a round is one
/// message to each and back. (Regular samples: Shi and Schaeffer, 1992; exact cuts of several sequences: Varman,
/// Scheufler, Iyer, Ricard, 1991)

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "amity/base/language.hpp"

namespace amity::partitioned {

/// How many elements of each sequence lie before it.
using cut = std::vector<std::size_t>;

/// An element that was looked at, element `at` of its sequence.
template <class V>
struct sample {
  V value;
  std::size_t sequence = 0, at = 0;
};

/// How many samples are to be taken of each window: some 4096 of all, since all are put in order.
[[nodiscard]] inline std::size_t samples_of_each(std::size_t sequences) noexcept {
  return std::clamp<std::size_t>(4096 / std::max<std::size_t>(sequences, 1), 8, 256);
}
/// Calls `take(at)` for the elements of a window that are its samples, at most so many.
template <class Take>
void each_sample(std::size_t low, std::size_t high, std::size_t most, Take take) {
  std::size_t const size = high - low, count = std::min(size, most);
  for (std::size_t i = 0; i < count; ++i) take(low + (2 * i + 1) * size / (2 * count));
}

/// Windows [low, high) that the cut of each sequence lies in, the ends included.
struct windows {
  cut low, high;

  [[nodiscard]] std::size_t size() const noexcept {
    return std::accumulate(high.begin(), high.end(), std::size_t{0}) -
           std::accumulate(low.begin(), low.end(), std::size_t{0});
  }
};

/// What is left of windows, for a cut before which `wanted` elements lie; samples are in order.
template <class V>
[[nodiscard]] windows narrowed(const windows& w, std::size_t wanted, const std::vector<sample<V>>& samples) {
  windows left = w;
  // Forward: at least so many of each sequence are before the sample.
  cut before = w.low;
  std::size_t all = std::accumulate(before.begin(), before.end(), std::size_t{0});
  for (const auto& s : samples) {
    all += s.at - before[s.sequence];
    if (all >= wanted) left.high[s.sequence] = std::min(left.high[s.sequence], s.at);
    before[s.sequence] = s.at + 1;
    ++all;
  }
  // Backward: at most so many.
  before = w.high;
  all = std::accumulate(before.begin(), before.end(), std::size_t{0});
  for (auto s = samples.rbegin(); s != samples.rend(); ++s) {
    all -= before[s->sequence] - s->at;
    before[s->sequence] = s->at;
    if (all < wanted) left.low[s->sequence] = std::max(left.low[s->sequence], s->at + 1);
  }
  // An order that is none may say both.
  for (std::size_t i = 0; i < left.low.size(); ++i) left.high[i] = std::max(left.low[i], left.high[i]);
  return left;
}

/// The cut before which `wanted` elements lie. `look(windows)` gives samples of all windows, which each_sample says, by
/// sequences and then by places; V is what stands for an element there. Ends whatever the order is worth; settle makes
/// something of the result then. Throws what `look` and `less` throw.
template <class V, class Look, class Less>
[[nodiscard]] cut cut_at(std::size_t wanted, const cut& sizes, Look look, Less less) {
  windows w{cut(sizes.size()), sizes};
  for (std::size_t size = w.size(); size != 0;) {
    std::vector<sample<V>> samples = look(std::as_const(w));
    // Stable: equals stay in the order of their sequences.
    std::stable_sort(samples.begin(), samples.end(),
                     [&less](const sample<V>& a, const sample<V>& b) { return less(a.value, b.value); });
    w = narrowed(w, wanted, samples);
    std::size_t const left = w.size();
    if (left >= size) break;  // of an order that is none: each round decides of a sample at least
    size = left;
  }
  return w.low;
}

/// Makes a cut before which `wanted` elements lie, and which is nowhere before the cut `before`, of what cut_at has
/// found. What comes of an order is such a cut already; with any other function elements are out of order afterwards,
/// but each is in one place. Requires: `before` is such a cut, for as many elements at most.
inline void settle(cut& found, std::size_t wanted, const cut& before, const cut& sizes) {
  std::size_t all = 0;
  for (std::size_t i = 0; i < found.size(); ++i) all += found[i] = std::clamp(found[i], before[i], sizes[i]);
  for (std::size_t i = 0; i < found.size() && all != wanted; ++i) {
    std::size_t const was = found[i];
    if (all < wanted)
      found[i] += std::min(wanted - all, sizes[i] - was);
    else
      found[i] -= std::min(all - wanted, was - before[i]);
    all += found[i] - was;
  }
}

}  // namespace amity::partitioned
