#pragma once

/// for_each, for_each_n.
///
///     amity::for_each(amity::execution::par, v.begin(), v.end(), [](double& x) { x *= 2; });
///     amity::ranges::for_each(amity::execution::par, list, work);
///
/// One function object for all: it may be called by several at once. Forward iterators are enough.

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

#include "amity/algo/iterators.hpp"

namespace amity {

namespace algo {

template <class It, class F>
constexpr bool accepts_element() {
  constexpr bool takes_it = std::is_invocable_v<std::decay_t<F>&, decltype(*std::declval<std::decay_t<It>&>())>;
  static_assert(takes_it, "for_each: the function can't be called with an element of the range");
  return takes_it;
}

struct for_each_algorithm : algorithm<for_each_algorithm> {
  static constexpr bool forward_iterators = true;
  template <class It, class, class F>
  static constexpr bool accepts() {
    return accepts_element<It, F>();
  }

  template <class It, class F>
  static F sequential(It first, It last, F f) {
    if constexpr (is_random_access_v<It>)
      step_through(length(first, last), calls_of(f), first);
    else
      for (; first != last; ++first) std::invoke(f, *first);
    return f;
  }
  template <class It, class F>
  static void parallel(const settings& how, It first, It last, F f) {
    run(how, first, length(first, last), f);
  }

  template <class It, class F>
  static void run(const settings& how, It first, index n, F& f) {
    over_iterators(how, n, calls_of(f), first);
  }

 private:
  template <class F>
  static auto calls_of(F& f) {
    return [&f](index count, auto& it) {
      for (; count != 0; --count, (void)++it) std::invoke(f, *it);
    };
  }
};

struct for_each_n_algorithm : algorithm<for_each_n_algorithm> {
  static constexpr bool forward_iterators = true;
  template <class It, class, class F>
  static constexpr bool accepts() {
    return accepts_element<It, F>();
  }

  template <class It, class Size, class F>
  static It sequential(It first, Size n, F f) {
    for (; n > 0; --n, (void)++first) std::invoke(f, *first);
    return first;
  }
  template <class It, class Size, class F>
  static It parallel(const settings& how, It first, Size n, F f) {
    if (n <= 0) return first;
    for_each_algorithm::run(how, first, static_cast<index>(n), f);
    advance_by(first, static_cast<index>(n));
    return first;
  }
};

}  // namespace algo

/// for_each([policy,] first, last, f): calls f with each element. With a policy it returns nothing, without one f, as
/// std's.
inline constexpr algo::for_each_algorithm for_each{};
/// for_each_n([policy,] first, n, f): the same for n elements; their end.
inline constexpr algo::for_each_n_algorithm for_each_n{};
namespace ranges {
inline constexpr algo::over_ranges<algo::for_each_algorithm, 1, algo::behind_function<2>, algo::end_and_function>
    for_each{};
inline constexpr algo::over_ranges<algo::for_each_n_algorithm, 0, algo::behind_function<2>> for_each_n{};
}  // namespace ranges

}  // namespace amity
