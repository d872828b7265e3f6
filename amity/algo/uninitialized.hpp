#pragma once

/// Objects in raw memory: uninitialized_copy, _move, _fill, _default_construct, _value_construct, destroy, and their
/// _n; uninitialized_relocate.
///
///     amity::uninitialized_value_construct(amity::execution::par, raw, raw + n);
///
/// If a constructor throws, what the algorithm has constructed is destroyed again.

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/algo/iterators.hpp"

namespace amity {

namespace algo {

/// `make(first, last)` constructs a part, or nothing if it throws.
template <class It, class Make>
It construct(const settings& how, It first, index n, Make&& make) {
  partition p(how, n, most_slots);
  slot_results<std::pair<index, index>> made;
  try {
    over_slots(p, made, [&](std::pair<index, index>& part, index from, index to) {
      make(from, to);
      if (part.first == part.second) part.first = from;
      part.second = to;
    });
  } catch (...) {
    made.each([first](const auto& part) { std::destroy(at(first, part.first), at(first, part.second)); });
    throw;
  }
  return at(first, n);
}

/// A number of elements that may be negative.
template <class Size>
index not_negative(Size n) {
  return n > 0 ? static_cast<index>(n) : 0;
}

struct uninitialized_copy_algorithm : algorithm<uninitialized_copy_algorithm> {
  template <class It, class Out>
  static Out sequential(It first, It last, Out out) {
    return std::uninitialized_copy(first, last, out);
  }
  template <class It, class Out>
  static Out parallel(const settings& how, It first, It last, Out out) {
    return construct(how, out, length(first, last), [&](index from, index to) {
      std::uninitialized_copy(at(first, from), at(first, to), at(out, from));
    });
  }
};

struct uninitialized_copy_n_algorithm : algorithm<uninitialized_copy_n_algorithm> {
  template <class It, class Size, class Out>
  static Out sequential(It first, Size n, Out out) {
    return std::uninitialized_copy_n(first, n, out);
  }
  template <class It, class Size, class Out>
  static Out parallel(const settings& how, It first, Size n, Out out) {
    return uninitialized_copy_algorithm::parallel(how, first, at(first, not_negative(n)), out);
  }
};

struct uninitialized_move_algorithm : algorithm<uninitialized_move_algorithm> {
  template <class It, class Out>
  static Out sequential(It first, It last, Out out) {
    return std::uninitialized_move(first, last, out);
  }
  template <class It, class Out>
  static Out parallel(const settings& how, It first, It last, Out out) {
    return construct(how, out, length(first, last), [&](index from, index to) {
      std::uninitialized_move(at(first, from), at(first, to), at(out, from));
    });
  }
};

struct uninitialized_move_n_algorithm : algorithm<uninitialized_move_n_algorithm> {
  template <class It, class Size, class Out>
  static std::pair<It, Out> sequential(It first, Size n, Out out) {
    return std::uninitialized_move_n(first, n, out);
  }
  template <class It, class Size, class Out>
  static std::pair<It, Out> parallel(const settings& how, It first, Size n, Out out) {
    It const last = at(first, not_negative(n));
    return {last, uninitialized_move_algorithm::parallel(how, first, last, out)};
  }
};

/// uninitialized_copy or _move, `A`, of a range to an iterator or into a range, where it ends at the shorter one's end.
/// `Std`: that of std::ranges.
template <class A, class Std>
struct into_range_algorithm : algorithm<into_range_algorithm<A, Std>> {
  template <class It, class Out>
  static std::ranges::in_out_result<It, Out> sequential(It first, It last, Out out) {
    return {last, A::sequential(first, last, out)};
  }
  template <class It, class Out>
  static std::ranges::in_out_result<It, Out> sequential(It first, It last, Out out, Out out_last) {
    auto [in, end] = Std{}(first, last, out, out_last);
    return {in, end};
  }
  template <class It, class Out>
  static std::ranges::in_out_result<It, Out> parallel(const settings& how, It first, It last, Out out) {
    return {last, A::parallel(how, first, last, out)};
  }
  template <class It, class Out>
  static std::ranges::in_out_result<It, Out> parallel(const settings& how, It first, It last, Out out, Out out_last) {
    return parallel(how, first, at(first, std::min(length(first, last), length(out, out_last))), out);
  }
};
using uninitialized_copy_into_range =
    into_range_algorithm<uninitialized_copy_algorithm, std::remove_const_t<decltype(std::ranges::uninitialized_copy)>>;
using uninitialized_move_into_range =
    into_range_algorithm<uninitialized_move_algorithm, std::remove_const_t<decltype(std::ranges::uninitialized_move)>>;

/// The same of n elements.
template <class A, class Std>
struct n_into_range_algorithm : algorithm<n_into_range_algorithm<A, Std>> {
  template <class It, class Size, class Out>
  static std::ranges::in_out_result<It, Out> sequential(It first, Size n, Out out) {
    if constexpr (is_single_pass_v<It>)
      return sequential(first, n, out, std::unreachable_sentinel);
    else
      return n_in_and_out::of(A::sequential(first, n, out), first, n);
  }
  template <class It, class Size, class Out, class Last>
  static std::ranges::in_out_result<It, Out> sequential(It first, Size n, Out out, Last out_last) {
    auto [in, end] = Std{}(first, static_cast<std::iter_difference_t<It>>(not_negative(n)), out, out_last);
    return {in, end};
  }
  template <class It, class Size, class Out>
  static std::ranges::in_out_result<It, Out> parallel(const settings& how, It first, Size n, Out out) {
    return n_in_and_out::of(A::parallel(how, first, n, out), first, n);
  }
  template <class It, class Size, class Out>
  static std::ranges::in_out_result<It, Out> parallel(const settings& how, It first, Size n, Out out, Out out_last) {
    return parallel(how, first, std::min(not_negative(n), length(out, out_last)), out);
  }
};
using uninitialized_copy_n_into_range =
    n_into_range_algorithm<uninitialized_copy_n_algorithm,
                           std::remove_const_t<decltype(std::ranges::uninitialized_copy_n)>>;
using uninitialized_move_n_into_range =
    n_into_range_algorithm<uninitialized_move_n_algorithm,
                           std::remove_const_t<decltype(std::ranges::uninitialized_move_n)>>;

struct uninitialized_fill_algorithm : algorithm<uninitialized_fill_algorithm> {
  template <class It, class T>
  static void sequential(It first, It last, const T& value) {
    std::uninitialized_fill(first, last, value);
  }
  template <class It, class T>
  static void parallel(const settings& how, It first, It last, const T& value) {
    construct(how, first, length(first, last),
              [&](index from, index to) { std::uninitialized_fill(at(first, from), at(first, to), value); });
  }
};

struct uninitialized_fill_n_algorithm : algorithm<uninitialized_fill_n_algorithm> {
  template <class It, class Size, class T>
  static It sequential(It first, Size n, const T& value) {
    return std::uninitialized_fill_n(first, n, value);
  }
  template <class It, class Size, class T>
  static It parallel(const settings& how, It first, Size n, const T& value) {
    It const last = at(first, not_negative(n));
    uninitialized_fill_algorithm::parallel(how, first, last, value);
    return last;
  }
};

struct uninitialized_default_construct_algorithm : algorithm<uninitialized_default_construct_algorithm> {
  template <class It>
  static void sequential(It first, It last) {
    std::uninitialized_default_construct(first, last);
  }
  template <class It>
  static void parallel(const settings& how, It first, It last) {
    construct(how, first, length(first, last),
              [&](index from, index to) { std::uninitialized_default_construct(at(first, from), at(first, to)); });
  }
};

struct uninitialized_default_construct_n_algorithm : algorithm<uninitialized_default_construct_n_algorithm> {
  template <class It, class Size>
  static It sequential(It first, Size n) {
    return std::uninitialized_default_construct_n(first, n);
  }
  template <class It, class Size>
  static It parallel(const settings& how, It first, Size n) {
    It const last = at(first, not_negative(n));
    uninitialized_default_construct_algorithm::parallel(how, first, last);
    return last;
  }
};

struct uninitialized_value_construct_algorithm : algorithm<uninitialized_value_construct_algorithm> {
  template <class It>
  static void sequential(It first, It last) {
    std::uninitialized_value_construct(first, last);
  }
  template <class It>
  static void parallel(const settings& how, It first, It last) {
    construct(how, first, length(first, last),
              [&](index from, index to) { std::uninitialized_value_construct(at(first, from), at(first, to)); });
  }
};

struct uninitialized_value_construct_n_algorithm : algorithm<uninitialized_value_construct_n_algorithm> {
  template <class It, class Size>
  static It sequential(It first, Size n) {
    return std::uninitialized_value_construct_n(first, n);
  }
  template <class It, class Size>
  static It parallel(const settings& how, It first, Size n) {
    It const last = at(first, not_negative(n));
    uninitialized_value_construct_algorithm::parallel(how, first, last);
    return last;
  }
};

struct destroy_algorithm : algorithm<destroy_algorithm> {
  template <class It>
  static void sequential(It first, It last) {
    std::destroy(first, last);
  }
  template <class It>
  static void parallel(const settings& how, It first, It last) {
    over_elements(how, length(first, last),
                  [&](index from, index to) { std::destroy(at(first, from), at(first, to)); });
  }
};

struct destroy_n_algorithm : algorithm<destroy_n_algorithm> {
  template <class It, class Size>
  static It sequential(It first, Size n) {
    return std::destroy_n(first, n);
  }
  template <class It, class Size>
  static It parallel(const settings& how, It first, Size n) {
    It const last = at(first, not_negative(n));
    destroy_algorithm::parallel(how, first, last);
    return last;
  }
};

// --- from one place to another

/// Whether [first, first + n) and as many from `out` on may have elements in common: what is no memory may.
template <class It, class Out>
bool may_overlap(It first, index n, Out out) {
  if constexpr (std::contiguous_iterator<It> && std::contiguous_iterator<Out>) {
    auto const* const a = reinterpret_cast<const std::byte*>(std::to_address(first));
    auto const* const b = reinterpret_cast<const std::byte*>(std::to_address(out));
    std::less<const std::byte*> const before{};
    return before(a, b + n * sizeof(*out)) && before(b, a + n * sizeof(*first));
  } else {
    return n != 0;
  }
}

/// `*from` begins to live at `to`, and ends where it was.
template <class It, class Out>
void relocate_one(It from, Out to) {
  using made = value_of<Out>;
  ::new (static_cast<void*>(std::addressof(*to))) made(std::move(*from));
  std::destroy_at(std::addressof(*from));
}

/// Whether that can't throw.
template <class It, class Out>
inline constexpr bool relocates_safely =
    std::is_nothrow_constructible_v<value_of<Out>, std::remove_reference_t<std::iter_reference_t<It>>&&>;

template <class It, class Out>
void relocate_in_parallel(const settings& how, It first, index n, Out out) {
  over_elements(how, n, [&](index from, index to) {
    for (; from < to; ++from) relocate_one(at(first, from), at(out, from));
  });
}

struct uninitialized_relocate_algorithm : algorithm<uninitialized_relocate_algorithm> {
  template <class It, class Out>
  static Out sequential(It first, It last, Out out) {
    Out const begin = out;
    try {
      for (; first != last; ++first, (void)++out) relocate_one(first, out);
    } catch (...) {
      std::destroy(begin, out);
      std::destroy(first, last);
      throw;
    }
    return out;
  }
  template <class It, class Out>
  static Out parallel(const settings& how, It first, It last, Out out) {
    index const n = length(first, last);
    if (!relocates_safely<It, Out> || may_overlap(first, n, out)) return sequential(first, last, out);
    relocate_in_parallel(how, first, n, out);
    return at(out, n);
  }
};

struct uninitialized_relocate_n_algorithm : algorithm<uninitialized_relocate_n_algorithm> {
  template <class It, class Size, class Out>
  static std::pair<It, Out> sequential(It first, Size n, Out out) {
    It last = first;
    advance_by(last, not_negative(n));
    return {last, uninitialized_relocate_algorithm::sequential(first, last, out)};
  }
  template <class It, class Size, class Out>
  static std::pair<It, Out> parallel(const settings& how, It first, Size n, Out out) {
    It const last = at(first, not_negative(n));
    return {last, uninitialized_relocate_algorithm::parallel(how, first, last, out)};
  }
};

struct uninitialized_relocate_backward_algorithm : algorithm<uninitialized_relocate_backward_algorithm> {
  template <class It, class Out>
  static Out sequential(It first, It last, Out out_last) {
    Out const end = out_last;
    try {
      while (first != last) {
        relocate_one(std::prev(last), std::prev(out_last));
        --last;
        --out_last;
      }
    } catch (...) {
      std::destroy(out_last, end);
      std::destroy(first, last);
      throw;
    }
    return out_last;
  }
  template <class It, class Out>
  static Out parallel(const settings& how, It first, It last, Out out_last) {
    index const n = length(first, last);
    Out const out = out_last - static_cast<std::iter_difference_t<Out>>(n);
    if (!relocates_safely<It, Out> || may_overlap(first, n, out)) return sequential(first, last, out_last);
    relocate_in_parallel(how, first, n, out);
    return out;
  }
};

}  // namespace algo

namespace experimental {
/// uninitialized_relocate([policy,] first, last, out): moves objects into raw memory, and leaves raw memory behind; the
/// end there. `out` may lie in front of the objects that it overlaps; then, and where a move may throw, the caller does
/// it alone. If one throws, all objects are destroyed, here and there.
inline constexpr algo::uninitialized_relocate_algorithm uninitialized_relocate{};
/// uninitialized_relocate_n([policy,] first, n, out): the same for n objects; a pair of the ends, here and there.
inline constexpr algo::uninitialized_relocate_n_algorithm uninitialized_relocate_n{};
/// uninitialized_relocate_backward([policy,] first, last, out_last): the same from the last one on, to in front of
/// out_last, which may lie behind the objects that it overlaps; the first one there.
inline constexpr algo::uninitialized_relocate_backward_algorithm uninitialized_relocate_backward{};
}  // namespace experimental

/// uninitialized_copy([policy,] first, last, out): constructs copies in raw memory; their end. If a constructor throws,
/// what was made is destroyed.
inline constexpr algo::uninitialized_copy_algorithm uninitialized_copy{};
/// uninitialized_copy_n([policy,] first, n, out): the same for n elements.
inline constexpr algo::uninitialized_copy_n_algorithm uninitialized_copy_n{};
/// uninitialized_move([policy,] first, last, out): moves into raw memory; the end there.
inline constexpr algo::uninitialized_move_algorithm uninitialized_move{};
/// uninitialized_move_n([policy,] first, n, out): the same for n elements; a pair of the ends, here and there.
inline constexpr algo::uninitialized_move_n_algorithm uninitialized_move_n{};
/// uninitialized_fill([policy,] first, last, value): constructs copies of value in raw memory.
inline constexpr algo::uninitialized_fill_algorithm uninitialized_fill{};
/// uninitialized_fill_n([policy,] first, n, value): the same for n elements; their end.
inline constexpr algo::uninitialized_fill_n_algorithm uninitialized_fill_n{};
/// uninitialized_default_construct([policy,] first, last): numbers have no value afterwards.
inline constexpr algo::uninitialized_default_construct_algorithm uninitialized_default_construct{};
/// uninitialized_default_construct_n([policy,] first, n): the same for n elements; their end.
inline constexpr algo::uninitialized_default_construct_n_algorithm uninitialized_default_construct_n{};
/// uninitialized_value_construct([policy,] first, last): numbers are 0 afterwards.
inline constexpr algo::uninitialized_value_construct_algorithm uninitialized_value_construct{};
/// uninitialized_value_construct_n([policy,] first, n): the same for n elements; their end.
inline constexpr algo::uninitialized_value_construct_n_algorithm uninitialized_value_construct_n{};
/// destroy([policy,] first, last).
inline constexpr algo::destroy_algorithm destroy{};
/// destroy_n([policy,] first, n): their end.
inline constexpr algo::destroy_n_algorithm destroy_n{};
namespace ranges {
inline constexpr algo::over_ranges<algo::uninitialized_copy_into_range, 2> uninitialized_copy{};
inline constexpr algo::over_ranges<algo::uninitialized_move_into_range, 2> uninitialized_move{};
inline constexpr algo::over_ranges<algo::uninitialized_fill_algorithm, 1, algo::no_projections, algo::end_of_range<>>
    uninitialized_fill{};
inline constexpr algo::over_ranges<algo::uninitialized_default_construct_algorithm, 1, algo::no_projections,
                                   algo::end_of_range<>>
    uninitialized_default_construct{};
inline constexpr algo::over_ranges<algo::uninitialized_value_construct_algorithm, 1, algo::no_projections,
                                   algo::end_of_range<>>
    uninitialized_value_construct{};
inline constexpr algo::over_ranges<algo::destroy_algorithm, 1, algo::no_projections, algo::end_of_range<>> destroy{};
inline constexpr algo::over_ranges<algo::uninitialized_copy_n_into_range, 0> uninitialized_copy_n{};
inline constexpr algo::over_ranges<algo::uninitialized_move_n_into_range, 0> uninitialized_move_n{};
inline constexpr algo::over_ranges<algo::uninitialized_fill_n_algorithm, 0> uninitialized_fill_n{};
inline constexpr algo::over_ranges<algo::uninitialized_default_construct_n_algorithm, 0>
    uninitialized_default_construct_n{};
inline constexpr algo::over_ranges<algo::uninitialized_value_construct_n_algorithm, 0>
    uninitialized_value_construct_n{};
inline constexpr algo::over_ranges<algo::destroy_n_algorithm, 0> destroy_n{};
namespace experimental {
inline constexpr algo::over_ranges<algo::uninitialized_relocate_algorithm, 1> uninitialized_relocate{};
}  // namespace experimental
}  // namespace ranges

}  // namespace amity
