#pragma once

/// reduce_deterministic: a sum of floating-point numbers that is the same, to the last bit, however many workers there
/// are and however the range is cut.
///
///     double sum = amity::experimental::reduce_deterministic(amity::execution::par, x.begin(), x.end(), 0.0);
///
/// Blocks of one size are put together, each in the same order by whoever does it; then their results by pairs of
/// neighbours, pairs of these, and so on. So the error of a long sum grows with the logarithm of its length (Higham,
/// "The accuracy of floating point summation", 1993). Another order of the elements may give another sum.

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/algo/reduce.hpp"

namespace amity {

namespace algo {

/// Elements of a block: a part of what is specified, since it decides the result.
inline constexpr index deterministic_block = 1024;

/// `op` of [first, first + n), split where it does not depend on anything but n. Requires: n is not 0.
template <class T, class Op>
T by_pairs(std::optional<T>* first, index n, Op& op) {
  if (n == 1) return std::move(**first);
  index half = 1;
  while (half * 2 < n) half *= 2;
  T left = by_pairs(first, half, op);
  return op(std::move(left), by_pairs(first + half, n - half, op));
}

struct reduce_deterministic_algorithm : algorithm<reduce_deterministic_algorithm> {
  template <class It, class T = value_of<It>, class Op = std::plus<>>
  static T sequential(It first, It last, T init = T(), Op op = {}) {
    settings alone;
    alone.alone = true;
    if constexpr (is_random_access_v<It>) {
      return parallel(alone, first, last, std::move(init), std::ref(op));
    } else {
      std::vector<std::optional<T>> sums;
      std::vector<T> block;
      while (first != last) {
        block.clear();
        for (; first != last && block.size() < deterministic_block; ++first) block.emplace_back(*first);
        sums.emplace_back(sum_of_block<T>(block.begin(), 0, block.size(), op));
      }
      return in_all(std::move(init), sums, op);
    }
  }

  template <class It, class T = value_of<It>, class Op = std::plus<>>
  static T parallel(const settings& how, It first, It last, T init = T(), Op op = {}) {
    index const n = length(first, last), blocks = (n + deterministic_block - 1) / deterministic_block;
    std::vector<std::optional<T>> sums(static_cast<std::size_t>(blocks));
    settings by_block = how;
    if (how.how != chunking::automatic) by_block.chunk = (how.chunk + deterministic_block - 1) / deterministic_block;
    over_elements(by_block, blocks, [&](index from, index to) {
      for (; from < to; ++from) {
        index const begin = from * deterministic_block;
        sums[from].emplace(sum_of_block<T>(first, begin, std::min(n, begin + deterministic_block), op));
      }
    });
    return in_all(std::move(init), sums, op);
  }

 private:
  template <class T, class It, class Op>
  static T sum_of_block(It first, index from, index to, Op& op) {
    static_assert(std::is_convertible_v<std::iter_reference_t<It>, T>,
                  "reduce_deterministic: elements must turn into the type of the initial value");
    std::identity as_it_is;
    return sum_of<T, T>(from, to, op, terms_of(as_it_is, first));
  }
  template <class T, class Op>
  static T in_all(T init, std::vector<std::optional<T>>& sums, Op& op) {
    if (sums.empty()) return init;
    return op(std::move(init), by_pairs(sums.data(), sums.size(), op));
  }
};

}  // namespace algo

namespace experimental {
/// reduce_deterministic([policy,] first, last[, init[, op]]): as reduce, in an order that depends on the number of
/// elements alone: without a policy, with each of them, and with any number of workers the result is the same. Takes
/// memory for a result for each 1024 elements.
inline constexpr algo::reduce_deterministic_algorithm reduce_deterministic{};
}  // namespace experimental
namespace ranges::experimental {
inline constexpr algo::over_ranges<algo::reduce_deterministic_algorithm, 1> reduce_deterministic{};
}  // namespace ranges::experimental

}  // namespace amity
