#pragma once

/// Algorithms that write each element by itself: copy, move, fill, generate and replace with their relatives,
/// swap_ranges.
///
///     amity::fill(amity::execution::par, v.begin(), v.end(), 0);
///     amity::generate(amity::execution::par, v.begin(), v.end(), random);   // called by several at once

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

#include "amity/algo/iterators.hpp"

namespace amity {

namespace algo {

struct copy_algorithm : algorithm<copy_algorithm> {
  template <class It, class Out>
  static Out sequential(It first, It last, Out out) {
    return std::copy(first, last, out);
  }
  template <class It, class Out>
  static Out parallel(const settings& how, It first, It last, Out out) {
    index const n = length(first, last);
    over_elements(how, n, [&](index from, index to) { std::copy(at(first, from), at(first, to), at(out, from)); });
    return at(out, n);
  }
};

struct copy_n_algorithm : algorithm<copy_n_algorithm> {
  template <class It, class Size, class Out>
  static Out sequential(It first, Size n, Out out) {
    return std::copy_n(first, n, out);
  }
  template <class It, class Size, class Out>
  static Out parallel(const settings& how, It first, Size n, Out out) {
    return n > 0 ? copy_algorithm::parallel(how, first, at(first, static_cast<index>(n)), out) : out;
  }
};

/// copy_n with the end of the input, which is not found again behind it if it can be read only once.
struct copy_n_with_both_ends : algorithm<copy_n_with_both_ends> {
  template <class It, class Size, class Out>
  static std::ranges::in_out_result<It, Out> sequential(It first, Size n, Out out) {
    if constexpr (is_single_pass_v<It>) {
      for (; n > 0; --n, (void)++first, (void)++out) *out = *first;
      return {std::move(first), std::move(out)};
    } else {
      return n_in_and_out::of(copy_n_algorithm::sequential(first, n, out), first, n);
    }
  }
  template <class It, class Size, class Out>
  static std::ranges::in_out_result<It, Out> parallel(const settings& how, It first, Size n, Out out) {
    return n_in_and_out::of(copy_n_algorithm::parallel(how, first, n, out), first, n);
  }
  operator copy_n_algorithm() const { return {}; }  // NOLINT(google-explicit-constructor): its form over segments
};

struct move_algorithm : algorithm<move_algorithm> {
  template <class It, class Out>
  static Out sequential(It first, It last, Out out) {
    return std::move(first, last, out);
  }
  template <class It, class Out>
  static Out parallel(const settings& how, It first, It last, Out out) {
    index const n = length(first, last);
    over_elements(how, n, [&](index from, index to) { std::move(at(first, from), at(first, to), at(out, from)); });
    return at(out, n);
  }
};

struct fill_algorithm : algorithm<fill_algorithm> {
  template <class It, class T>
  static void sequential(It first, It last, const T& value) {
    std::fill(first, last, value);
  }
  template <class It, class T>
  static void parallel(const settings& how, It first, It last, const T& value) {
    over_elements(how, length(first, last),
                  [&](index from, index to) { std::fill(at(first, from), at(first, to), value); });
  }
};

struct fill_n_algorithm : algorithm<fill_n_algorithm> {
  template <class It, class Size, class T>
  static It sequential(It first, Size n, const T& value) {
    return std::fill_n(first, n, value);
  }
  template <class It, class Size, class T>
  static It parallel(const settings& how, It first, Size n, const T& value) {
    if (n <= 0) return first;
    It const last = at(first, static_cast<index>(n));
    fill_algorithm::parallel(how, first, last, value);
    return last;
  }
};

struct generate_algorithm : algorithm<generate_algorithm> {
  template <class It, class F>
  static void sequential(It first, It last, F f) {
    std::generate(first, last, std::ref(f));
  }
  template <class It, class F>
  static void parallel(const settings& how, It first, It last, F f) {
    over_elements(how, length(first, last),
                  [&](index from, index to) { std::generate(at(first, from), at(first, to), std::ref(f)); });
  }
};

struct generate_n_algorithm : algorithm<generate_n_algorithm> {
  template <class It, class Size, class F>
  static It sequential(It first, Size n, F f) {
    return std::generate_n(first, n, std::ref(f));
  }
  template <class It, class Size, class F>
  static It parallel(const settings& how, It first, Size n, F f) {
    if (n <= 0) return first;
    It const last = at(first, static_cast<index>(n));
    generate_algorithm::parallel(how, first, last, std::ref(f));
    return last;
  }
};

struct replace_if_algorithm : algorithm<replace_if_algorithm> {
  template <class It, class F, class T>
  static void sequential(It first, It last, F f, const T& value) {
    std::replace_if(first, last, std::ref(f), value);
  }
  template <class It, class F, class T>
  static void parallel(const settings& how, It first, It last, F f, const T& value) {
    over_elements(how, length(first, last),
                  [&](index from, index to) { std::replace_if(at(first, from), at(first, to), std::ref(f), value); });
  }
};

struct replace_algorithm : algorithm<replace_algorithm> {
  template <class It, class T>
  static void sequential(It first, It last, const T& old, const T& value) {
    std::replace(first, last, old, value);
  }
  template <class It, class T>
  static void parallel(const settings& how, It first, It last, const T& old, const T& value) {
    over_elements(how, length(first, last),
                  [&](index from, index to) { std::replace(at(first, from), at(first, to), old, value); });
  }
};

struct replace_copy_if_algorithm : algorithm<replace_copy_if_algorithm> {
  template <class It, class Out, class F, class T>
  static Out sequential(It first, It last, Out out, F f, const T& value) {
    return std::replace_copy_if(first, last, out, std::ref(f), value);
  }
  template <class It, class Out, class F, class T>
  static Out parallel(const settings& how, It first, It last, Out out, F f, const T& value) {
    index const n = length(first, last);
    over_elements(how, n, [&](index from, index to) {
      std::replace_copy_if(at(first, from), at(first, to), at(out, from), std::ref(f), value);
    });
    return at(out, n);
  }
};

struct replace_copy_algorithm : algorithm<replace_copy_algorithm> {
  template <class It, class Out, class T>
  static Out sequential(It first, It last, Out out, const T& old, const T& value) {
    return std::replace_copy(first, last, out, old, value);
  }
  template <class It, class Out, class T>
  static Out parallel(const settings& how, It first, It last, Out out, const T& old, const T& value) {
    return replace_copy_if_algorithm::parallel(
        how, first, last, out, [&old](const auto& x) { return x == old; }, value);
  }
};

struct swap_ranges_algorithm : algorithm<swap_ranges_algorithm> {
  template <class It, class It2>
  static It2 sequential(It first, It last, It2 second) {
    return std::swap_ranges(first, last, second);
  }
  template <class It, class It2>
  static It2 parallel(const settings& how, It first, It last, It2 second) {
    index const n = length(first, last);
    over_elements(how, n,
                  [&](index from, index to) { std::swap_ranges(at(first, from), at(first, to), at(second, from)); });
    return at(second, n);
  }
};

/// swap_ranges of two ranges, the shorter of which counts; or of one and what begins at an iterator.
struct swap_of_ranges_algorithm : algorithm<swap_of_ranges_algorithm> {
  template <class It, class It2>
  static std::ranges::in_in_result<It, It2> sequential(It first, It last, It2 second) {
    return {last, swap_ranges_algorithm::sequential(first, last, second)};
  }
  template <class It, class It2>
  static std::ranges::in_in_result<It, It2> sequential(It first, It last, It2 second, It2 last2) {
    for (; first != last && second != last2; ++first, (void)++second) std::iter_swap(first, second);
    return {first, second};
  }
  template <class It, class It2>
  static std::ranges::in_in_result<It, It2> parallel(const settings& how, It first, It last, It2 second) {
    return {last, swap_ranges_algorithm::parallel(how, first, last, second)};
  }
  template <class It, class It2>
  static std::ranges::in_in_result<It, It2> parallel(const settings& how, It first, It last, It2 second, It2 last2) {
    return parallel(how, first, at(first, std::min(length(first, last), length(second, last2))), second);
  }
};

struct adjacent_difference_algorithm : algorithm<adjacent_difference_algorithm> {
  template <class... Args>
  static auto sequential(Args... args) {
    return std::adjacent_difference(std::move(args)...);
  }
  /// In place it is done by the caller alone: each element is wanted by its neighbour.
  template <class It, class Out, class Op = std::minus<>>
  static Out parallel(const settings& how, It first, It last, Out out, Op op = {}) {
    if (same_place(first, out)) return std::adjacent_difference(first, last, out, std::ref(op));
    index const n = length(first, last);
    over_elements(how, n, [&](index from, index to) {
      if (from == 0) *out = *first;
      for (index i = std::max<index>(from, 1); i < to; ++i) *at(out, i) = op(*at(first, i), *at(first, i - 1));
    });
    return at(out, n);
  }
};

}  // namespace algo

/// copy([policy,] first, last, out): the end of the output. The ranges must not overlap.
inline constexpr algo::copy_algorithm copy{};
/// copy_n([policy,] first, n, out): the same for n elements.
inline constexpr algo::copy_n_algorithm copy_n{};
/// move([policy,] first, last, out): moves the elements; the end of the output.
inline constexpr algo::move_algorithm move{};
/// fill([policy,] first, last, value).
inline constexpr algo::fill_algorithm fill{};
/// fill_n([policy,] first, n, value): the end of what was filled.
inline constexpr algo::fill_n_algorithm fill_n{};
/// generate([policy,] first, last, f): each element is what a call of f() gives. In parallel f is called by several at
/// once.
inline constexpr algo::generate_algorithm generate{};
/// generate_n([policy,] first, n, f): the same for n elements; their end.
inline constexpr algo::generate_n_algorithm generate_n{};
/// replace([policy,] first, last, old_value, new_value).
inline constexpr algo::replace_algorithm replace{};
/// replace_if([policy,] first, last, p, new_value): replaces those for which p holds.
inline constexpr algo::replace_if_algorithm replace_if{};
/// replace_copy([policy,] first, last, out, old_value, new_value): the end of the output.
inline constexpr algo::replace_copy_algorithm replace_copy{};
/// replace_copy_if([policy,] first, last, out, p, new_value): the end of the output.
inline constexpr algo::replace_copy_if_algorithm replace_copy_if{};
/// swap_ranges([policy,] first, last, first2): the end of the second range. They must not overlap.
inline constexpr algo::swap_ranges_algorithm swap_ranges{};
/// adjacent_difference([policy,] first, last, out[, op]): the first element, then op(x[i], x[i - 1]); the end of the
/// output. In place it is done by the caller alone.
inline constexpr algo::adjacent_difference_algorithm adjacent_difference{};
namespace ranges {
inline constexpr algo::over_ranges<algo::copy_algorithm, 1, algo::no_projections, algo::in_and_out<>> copy{};
inline constexpr algo::over_ranges<algo::copy_n_with_both_ends, 0, algo::no_projections, algo::n_in_and_out> copy_n{};
inline constexpr algo::over_ranges<algo::move_algorithm, 1, algo::no_projections, algo::in_and_out<>> move{};
inline constexpr algo::over_ranges<algo::fill_algorithm, 1, algo::no_projections, algo::end_of_range<>> fill{};
inline constexpr algo::over_ranges<algo::fill_n_algorithm, 0> fill_n{};
inline constexpr algo::over_ranges<algo::generate_algorithm, 1, algo::no_projections, algo::end_of_range<>> generate{};
inline constexpr algo::over_ranges<algo::generate_n_algorithm, 0> generate_n{};
inline constexpr algo::over_ranges<algo::replace_algorithm, 1,
                                   algo::behind_replacement<algo::replace_if_algorithm, 2, true>, algo::end_of_range<>>
    replace{};
inline constexpr algo::over_ranges<algo::replace_if_algorithm, 1,
                                   algo::behind_replacement<algo::replace_if_algorithm, 2, false>, algo::end_of_range<>>
    replace_if{};
inline constexpr algo::over_ranges<algo::replace_copy_algorithm, 1,
                                   algo::behind_replacement<algo::replace_copy_if_algorithm, 3, true>,
                                   algo::in_and_out<>>
    replace_copy{};
inline constexpr algo::over_ranges<algo::replace_copy_if_algorithm, 1,
                                   algo::behind_replacement<algo::replace_copy_if_algorithm, 3, false>,
                                   algo::in_and_out<>>
    replace_copy_if{};
inline constexpr algo::over_ranges<algo::swap_of_ranges_algorithm, 2> swap_ranges{};
inline constexpr algo::over_ranges<algo::adjacent_difference_algorithm, 1> adjacent_difference{};
}  // namespace ranges

}  // namespace amity
