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
#include <type_traits>
#include <utility>

#include "amity/algo/iterators.hpp"

namespace amity {

namespace algo {

/// `op` of what `r` holds, if anything, and of the results of `part(first, last)` for neighbours that make up
/// [from, to), in their order.
template <class T, class Op, class Part, class... It>
void fold_steps(std::optional<T>& r, index from, index to, Op& op, Part& part, const prefetcher<It...>& ahead) {
  ahead.steps(from, to, [&](index first, index last) {
    if (r.has_value())
      *r = op(std::move(*r), part(first, last));
    else
      r.emplace(part(first, last));
  });
}

/// The same for [0, n) by all; nothing if n is 0. `part` goes through the ranges that begin at `ranges`.
template <class T, class Op, class Part, class... It>
std::optional<T> fold(const settings& how, index n, Op& op, Part&& part, It... ranges) {
  prefetcher<It...> const ahead(n, ranges...);
  partition p(how, n, most_slots);
  slot_results<std::optional<T>> results;
  over_slots(p, results, [&](std::optional<T>& r, index from, index to) { fold_steps(r, from, to, op, part, ahead); });
  std::optional<T> all = std::move(results.probed);
  for (std::optional<T>& r : results.chunks) {
    if (all.has_value())
      *all = op(std::move(*all), std::move(*r));
    else
      all.emplace(std::move(*r));
  }
  return all;
}

/// What is summed up: `f` of the elements at some position of each range.
template <class F, class... It>
using term_of = std::invoke_result_t<F&, std::iter_reference_t<It>...>;

/// `term(i, use)` gives what `use` makes of the i-th, as a value. Where `*it` is a value itself, what `f` gives may
/// refer to it, and it ends with the expression: so `use` is called within.
template <class F, class... It>
auto terms_of(F& f, It... first) {
  return [&f, first...](index i, auto&& use) { return use(std::invoke(f, *at(first, i)...)); };
}

/// `op` of the terms [from, to), in their order, as T from the first on. Numbers go four at a time, so that one does
/// not wait for the sum of the one before. Requires: there is one; two, if a term is no T, which then comes from `op`.
template <class T, class Term, class Op, class Terms>
T sum_of(index from, index to, Op& op, const Terms& term) {
  auto const behind = [&](T& sum, index i) {
    return term(i, [&](auto&& x) { return static_cast<T>(op(std::move(sum), std::forward<decltype(x)>(x))); });
  };
  auto const begin = [&] {
    if constexpr (std::is_convertible_v<Term, T>) {
      return term(from++, [](auto&& x) { return static_cast<T>(std::forward<decltype(x)>(x)); });
    } else {
      index const i = std::exchange(from, from + 2);
      return term(i, [&](auto&& x) {
        return term(i + 1, [&](auto&& y) {
          return static_cast<T>(op(std::forward<decltype(x)>(x), std::forward<decltype(y)>(y)));
        });
      });
    }
  };
  T sum = begin();
  if constexpr (std::is_arithmetic_v<T> && std::is_convertible_v<Term, T>) {
    while (to - from >= 4) {
      T left = begin();
      left = behind(left, from++);
      T right = begin();
      right = behind(right, from++);
      sum = static_cast<T>(op(std::move(sum), static_cast<T>(op(std::move(left), std::move(right)))));
    }
  }
  for (; from < to; ++from) sum = behind(sum, from);
  return sum;
}

template <class T, class Op>
T with_first(T first, std::optional<T> rest, Op& op) {
  if (!rest.has_value()) return first;
  return op(std::move(first), std::move(*rest));
}

/// All terms behind `init`, by the caller.
template <class T, class Op, class F, class It, class... More>
T sum_in_order(It first, It last, T init, Op& op, F& f, More... more) {
  using term = term_of<F, It, More...>;
  if constexpr (is_random_access_v<It> && (is_random_access_v<More> && ...) && std::is_convertible_v<term, T>) {
    std::optional<T> sum(std::move(init));
    auto const part = [&op, by_index = terms_of(f, first, more...)](index from, index to) {
      return sum_of<T, term>(from, to, op, by_index);
    };
    index const n = length(first, last);
    fold_steps(sum, 0, n, op, part, prefetcher<It, More...>(n, first, more...));
    return std::move(*sum);
  } else {
    for (; first != last; ++first, (void)((++more, ...))) init = op(std::move(init), std::invoke(f, *first, *more...));
    return init;
  }
}

/// The same by all.
template <class T, class Op, class F, class It, class... More>
T sum_in_parallel(const settings& how, It first, It last, T init, Op& op, F& f, More... more) {
  using term = term_of<F, It, More...>;
  auto const by_index = terms_of(f, first, more...);
  index const n = length(first, last);
  if constexpr (std::is_convertible_v<term, T>) {
    auto const part = [&](index from, index to) { return sum_of<T, term>(from, to, op, by_index); };
    return with_first(std::move(init), fold<T>(how, n, op, part, first, more...), op);
  } else {  // whole pairs, so that each part has two
    auto const part = [&](index from, index to) { return sum_of<T, term>(2 * from, 2 * to, op, by_index); };
    T sum = with_first(std::move(init), fold<T>(how, n / 2, op, part), op);
    if (n % 2 != 0) sum = op(std::move(sum), std::invoke(f, *at(first, n - 1), *at(more, n - 1)...));
    return sum;
  }
}

struct transform_reduce_algorithm : algorithm<transform_reduce_algorithm> {
  template <class It, class T, class Op, class F>
  static T sequential(It first, It last, T init, Op op, F f) {
    return sum_in_order(first, last, std::move(init), op, f);
  }
  template <class It, class It2, class T, class Op, class F>
  static T sequential(It first, It last, It2 second, T init, Op op, F f) {
    return sum_in_order(first, last, std::move(init), op, f, second);
  }
  template <class It, class It2, class T>
  static T sequential(It first, It last, It2 second, T init) {
    return sequential(first, last, second, std::move(init), std::plus<>(), std::multiplies<>());
  }
  template <class It, class T, class Op, class F>
  static T parallel(const settings& how, It first, It last, T init, Op op, F f) {
    return sum_in_parallel(how, first, last, std::move(init), op, f);
  }
  template <class It, class It2, class T, class Op, class F>
  static T parallel(const settings& how, It first, It last, It2 second, T init, Op op, F f) {
    return sum_in_parallel(how, first, last, std::move(init), op, f, second);
  }
  template <class It, class It2, class T>
  static T parallel(const settings& how, It first, It last, It2 second, T init) {
    return parallel(how, first, last, second, std::move(init), std::plus<>(), std::multiplies<>());
  }
};

struct reduce_algorithm : algorithm<reduce_algorithm> {
  template <class It, class, class T = value_of<It>, class Op = std::plus<>>
  static constexpr bool accepts() {
    using element = decltype(*std::declval<std::decay_t<It>&>());
    constexpr bool adds = std::is_invocable_r_v<std::decay_t<T>, std::decay_t<Op>&, std::decay_t<T>, element>;
    static_assert(adds, "reduce: the operation can't be called with the first value and an element: T op(T, element)");
    return adds;
  }
  template <class It, class T = value_of<It>, class Op = std::plus<>>
  static T sequential(It first, It last, T init = T(), Op op = {}) {
    return transform_reduce_algorithm::sequential(first, last, std::move(init), std::move(op), std::identity());
  }
  template <class It, class T = value_of<It>, class Op = std::plus<>>
  static T parallel(const settings& how, It first, It last, T init = T(), Op op = {}) {
    return transform_reduce_algorithm::parallel(how, first, last, std::move(init), std::move(op), std::identity());
  }
};

struct count_if_algorithm : algorithm<count_if_algorithm> {
  template <class It, class F>
  static auto sequential(It first, It last, F f) {
    return std::count_if(first, last, std::ref(f));
  }
  template <class It, class F>
  static std::iter_difference_t<It> parallel(const settings& how, It first, It last, F f) {
    using number = std::iter_difference_t<It>;
    auto const part = [&](index from, index to) {
      return static_cast<number>(std::count_if(at(first, from), at(first, to), std::ref(f)));
    };
    std::plus<> plus;
    return fold<number>(how, length(first, last), plus, part, first).value_or(0);
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
inline constexpr algo::over_ranges<algo::count_algorithm, 1, algo::behind_value<algo::count_if_algorithm, 2>> count{};
inline constexpr algo::over_ranges<algo::count_if_algorithm, 1, algo::behind_function<2>> count_if{};
}  // namespace ranges

}  // namespace amity
