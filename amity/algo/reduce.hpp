#pragma once

/// reduce, transform_reduce, count, count_if.
///
///     double sum = amity::reduce(amity::execution::par, x.begin(), x.end(), 0.0);
///     double dot = amity::transform_reduce(amity::execution::par, x.begin(), x.end(), y.begin(), 0.0);
///
/// The operation has to be associative; it need not be commutative: parts are put together in their order.

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <vector>

#include "amity/algo/iterators.hpp"

namespace amity {

namespace algo {

/// `op` of the results of `part(first, last)` for neighbours, in their order; nothing if n is 0.
template <class T, class Op, class Part>
std::optional<T> fold(const settings& how, index n, Op& op, Part&& part) {
  partition p(how, n, most_slots);
  slot_results<std::optional<T>> results;
  over_slots(p, results, [&](std::optional<T>& r, index first, index last) {
    if (r.has_value())
      *r = op(std::move(*r), part(first, last));
    else
      r.emplace(part(first, last));
  });
  std::optional<T> all = std::move(results.probed);
  for (std::optional<T>& r : results.chunks) {
    if (all.has_value())
      *all = op(std::move(*all), std::move(*r));
    else
      all.emplace(std::move(*r));
  }
  return all;
}

/// `op` of get(from) ... get(to - 1), in their order, as T from the first on. Numbers go four at a time, so that one
/// does not wait for the sum of the one before.
template <class T, class Op, class Get>
T sum_of(index from, index to, Op& op, const Get& get) {
  T sum(get(from++));
  if constexpr (std::is_arithmetic_v<T>) {
    for (; to - from >= 4; from += 4) {
      T left(op(T(get(from)), get(from + 1)));
      T right(op(T(get(from + 2)), get(from + 3)));
      sum = op(std::move(sum), op(std::move(left), std::move(right)));
    }
  }
  for (; from < to; ++from) sum = op(std::move(sum), get(from));
  return sum;
}

template <class T, class Op>
T with_first(T first, std::optional<T> rest, Op& op) {
  if (!rest.has_value()) return first;
  return op(std::move(first), std::move(*rest));
}

/// The same of all of a range, behind `init`, by the caller.
template <class It, class T, class Op, class F>
T sum_in_order(It first, It last, T init, Op& op, F& f) {
  if constexpr (is_random_access_v<It>) {
    if (first == last) return init;
    auto const get = [&](index i) -> decltype(auto) { return std::invoke(f, *at(first, i)); };
    return op(std::move(init), sum_of<T>(0, length(first, last), op, get));
  } else {
    for (; first != last; ++first) init = op(std::move(init), std::invoke(f, *first));
    return init;
  }
}

/// An element as it is.
struct as_it_is {
  template <class T>
  constexpr T&& operator()(T&& x) const noexcept {
    return std::forward<T>(x);
  }
};

struct transform_reduce_algorithm : algorithm<transform_reduce_algorithm> {
  template <class It, class T, class Op, class F>
  static T sequential(It first, It last, T init, Op op, F f) {
    return sum_in_order(first, last, std::move(init), op, f);
  }
  template <class It, class It2, class T, class Op = std::plus<>, class F = std::multiplies<>>
  requires is_iterator_v<It2>
  static T sequential(It first, It last, It2 second, T init, Op op = {}, F f = {}) {
    if constexpr (is_random_access_v<It> && is_random_access_v<It2>) {
      if (first == last) return init;
      auto const get = [&](index i) -> decltype(auto) { return std::invoke(f, *at(first, i), *at(second, i)); };
      return op(std::move(init), sum_of<T>(0, length(first, last), op, get));
    } else {
      for (; first != last; ++first, ++second) init = op(std::move(init), std::invoke(f, *first, *second));
      return init;
    }
  }
  template <class It, class T, class Op, class F>
  static T parallel(const settings& how, It first, It last, T init, Op op, F f) {
    auto const part = [&](index from, index to) {
      return sum_of<T>(from, to, op, [&](index i) -> decltype(auto) { return std::invoke(f, *at(first, i)); });
    };
    return with_first(std::move(init), fold<T>(how, length(first, last), op, part), op);
  }
  template <class It, class It2, class T, class Op = std::plus<>, class F = std::multiplies<>>
  requires is_iterator_v<It2>
  static T parallel(const settings& how, It first, It last, It2 second, T init, Op op = {}, F f = {}) {
    auto const part = [&](index from, index to) {
      return sum_of<T>(from, to, op,
                       [&](index i) -> decltype(auto) { return std::invoke(f, *at(first, i), *at(second, i)); });
    };
    return with_first(std::move(init), fold<T>(how, length(first, last), op, part), op);
  }
};

struct reduce_algorithm : algorithm<reduce_algorithm> {
  template <class It, class T = value_of<It>, class Op = std::plus<>>
  static T sequential(It first, It last, T init = T(), Op op = {}) {
    return transform_reduce_algorithm::sequential(first, last, std::move(init), std::move(op), as_it_is());
  }
  template <class It, class T = value_of<It>, class Op = std::plus<>>
  static T parallel(const settings& how, It first, It last, T init = T(), Op op = {}) {
    return transform_reduce_algorithm::parallel(how, first, last, std::move(init), std::move(op), as_it_is());
  }
};

struct count_if_algorithm : algorithm<count_if_algorithm> {
  template <class It, class F>
  static auto sequential(It first, It last, F f) {
    return std::count_if(first, last, std::move(f));
  }
  template <class It, class F>
  static std::iter_difference_t<It> parallel(const settings& how, It first, It last, F f) {
    using number = std::iter_difference_t<It>;
    auto const part = [&](index from, index to) {
      return static_cast<number>(std::count_if(at(first, from), at(first, to), std::ref(f)));
    };
    std::plus<> plus;
    return fold<number>(how, length(first, last), plus, part).value_or(0);
  }
};

struct count_algorithm : algorithm<count_algorithm> {
  template <class It, class T>
  static auto sequential(It first, It last, const T& value) {
    return std::count(first, last, value);
  }
  template <class It, class T>
  static std::iter_difference_t<It> parallel(const settings& how, It first, It last, const T& value) {
    return count_if_algorithm::parallel(how, first, last, [&value](const auto& x) { return x == value; });
  }
};

}  // namespace algo

/// reduce([policy,] first, last[, init[, op]]): init and all elements put together by op, std::plus unless given. In
/// the order of the range, but not from left to right: op is associative.
inline constexpr algo::reduce_algorithm reduce{};
/// transform_reduce([policy,] first, last, init, op, f): the same of what f makes of each; transform_reduce([policy,]
/// first, last, first2, init[, op, f]): of what f makes of pairs, products unless given.
inline constexpr algo::transform_reduce_algorithm transform_reduce{};
/// count([policy,] first, last, value): how many equal value.
inline constexpr algo::count_algorithm count{};
/// count_if([policy,] first, last, p): for how many p holds.
inline constexpr algo::count_if_algorithm count_if{};
namespace ranges {
inline constexpr algo::over_ranges<algo::reduce_algorithm, 1> reduce{};
inline constexpr algo::over_ranges<algo::transform_reduce_algorithm, 1> transform_reduce{};
inline constexpr algo::over_ranges<algo::count_algorithm, 1> count{};
inline constexpr algo::over_ranges<algo::count_if_algorithm, 1> count_if{};
}  // namespace ranges

}  // namespace amity
