#pragma once

/// reverse, rotate, with their copying forms, shift_left, shift_right.
///
///     amity::rotate(amity::execution::par, v.begin(), middle, v.end());
///
/// rotate is three reversals. A shift moves in waves of as many elements as it shifts by; where those are few, alone.

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

#include "amity/algo/copy.hpp"

namespace amity {

namespace algo {

struct reverse_algorithm : algorithm<reverse_algorithm> {
  template <class It>
  static void sequential(It first, It last) {
    std::reverse(first, last);
  }
  template <class It>
  static void parallel(const settings& how, It first, It last) {
    index const n = length(first, last);
    over_elements(how, n / 2, [&](index from, index to) {
      for (; from < to; ++from) std::iter_swap(at(first, from), at(first, n - 1 - from));
    });
  }
};

struct reverse_copy_algorithm : algorithm<reverse_copy_algorithm> {
  template <class It, class Out>
  static Out sequential(It first, It last, Out out) {
    return std::reverse_copy(first, last, out);
  }
  template <class It, class Out>
  static Out parallel(const settings& how, It first, It last, Out out) {
    index const n = length(first, last);
    over_elements(how, n, [&](index from, index to) {
      std::reverse_copy(at(first, n - to), at(first, n - from), at(out, from));
    });
    return at(out, n);
  }
};

/// One that does it alone moves each element once, where three reversals move it twice. What is copied as bytes, and
/// lies in the caller's cache, is not moved any sooner by several.
template <class It>
[[nodiscard]] bool is_rotated_sooner_alone(index n) noexcept {
  using value = std::iter_value_t<It>;
  constexpr index most_bytes = 1 << 20;
  return std::is_trivially_copyable_v<value> && n < most_bytes / sizeof(value);
}

struct rotate_algorithm : algorithm<rotate_algorithm> {
  template <class It>
  static It sequential(It first, It middle, It last) {
    return std::rotate(first, middle, last);
  }
  template <class It>
  static It parallel(const settings& how, It first, It middle, It last) {
    if (first == middle) return last;
    if (middle == last) return first;
    if (how.how == chunking::automatic && is_rotated_sooner_alone<It>(length(first, last)))
      return std::rotate(first, middle, last);
    reverse_algorithm::parallel(how, first, middle);
    reverse_algorithm::parallel(how, middle, last);
    reverse_algorithm::parallel(how, first, last);
    return first + (last - middle);
  }
};

struct rotate_copy_algorithm : algorithm<rotate_copy_algorithm> {
  template <class It, class Out>
  static Out sequential(It first, It middle, It last, Out out) {
    return std::rotate_copy(first, middle, last, out);
  }
  template <class It, class Out>
  static Out parallel(const settings& how, It first, It middle, It last, Out out) {
    return copy_algorithm::parallel(how, first, middle, copy_algorithm::parallel(how, middle, last, out));
  }
};

/// A wave of fewer elements than this is not shared.
inline constexpr index smallest_wave = 1 << 14;

struct shift_left_algorithm : algorithm<shift_left_algorithm> {
  template <class It, class Size>
  static It sequential(It first, It last, Size by) {
    return by > 0 ? std::shift_left(first, last, by) : last;
  }
  template <class It, class Size>
  static It parallel(const settings& how, It first, It last, Size by) {
    index const n = length(first, last), k = by > 0 ? static_cast<index>(by) : 0;
    if (k == 0 || k >= n || (how.how == chunking::automatic && k < smallest_wave)) return sequential(first, last, by);
    for (index to = 0; to < n - k; to += k) {
      It const from = at(first, to + k);
      move_algorithm::parallel(how, from, at(from, std::min(k, n - k - to)), at(first, to));
    }
    return at(first, n - k);
  }
};

struct shift_right_algorithm : algorithm<shift_right_algorithm> {
  template <class It, class Size>
  static It sequential(It first, It last, Size by) {
    return by > 0 ? std::shift_right(first, last, by) : first;
  }
  template <class It, class Size>
  static It parallel(const settings& how, It first, It last, Size by) {
    index const n = length(first, last), k = by > 0 ? static_cast<index>(by) : 0;
    if (k == 0 || k >= n || (how.how == chunking::automatic && k < smallest_wave)) return sequential(first, last, by);
    for (index end = n; end > k;) {  // [end - wave, end) comes from k before it
      index const wave = std::min(k, end - k);
      end -= wave;
      move_algorithm::parallel(how, at(first, end - k), at(first, end - k + wave), at(first, end));
    }
    return at(first, k);
  }
};

}  // namespace algo

/// reverse([policy,] first, last).
inline constexpr algo::reverse_algorithm reverse{};
/// reverse_copy([policy,] first, last, out): the end of the output.
inline constexpr algo::reverse_copy_algorithm reverse_copy{};
/// rotate([policy,] first, middle, last): what stands at middle becomes the first; where the old first is now.
inline constexpr algo::rotate_algorithm rotate{};
/// rotate_copy([policy,] first, middle, last, out): the end of the output.
inline constexpr algo::rotate_copy_algorithm rotate_copy{};
/// shift_left([policy,] first, last, n): moves all n places to the front; the end of what is left of them. The first n
/// are lost.
inline constexpr algo::shift_left_algorithm shift_left{};
/// shift_right([policy,] first, last, n): moves all n places to the back; the begin of what is left of them.
inline constexpr algo::shift_right_algorithm shift_right{};
namespace ranges {
inline constexpr algo::over_ranges<algo::reverse_algorithm, 1, algo::no_projections, algo::end_of_range<>> reverse{};
inline constexpr algo::over_ranges<algo::reverse_copy_algorithm, 1, algo::no_projections, algo::in_and_out<>>
    reverse_copy{};
inline constexpr algo::over_ranges<algo::shift_left_algorithm, 1> shift_left{};
inline constexpr algo::over_ranges<algo::shift_right_algorithm, 1> shift_right{};
inline constexpr algo::over_range_around<algo::rotate_algorithm, algo::no_projections, algo::rest_of_range<3>> rotate{};
inline constexpr algo::over_range_around<algo::rotate_copy_algorithm, algo::no_projections, algo::in_and_out<3>>
    rotate_copy{};
}  // namespace ranges

}  // namespace amity
