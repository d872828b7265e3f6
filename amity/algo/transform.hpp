#pragma once

/// transform, of one range or two.
///
///     amity::transform(amity::execution::par, x.begin(), x.end(), y.begin(), [](double v) { return 2 * v; });
///     amity::ranges::transform(amity::execution::par, x, y, sums.begin(), std::plus<>());
///
/// The output may be the input. Forward iterators are enough.

#include <algorithm>
#include <functional>

#include "amity/algo/iterators.hpp"

namespace amity {

namespace algo {

struct transform_algorithm : algorithm<transform_algorithm> {
  static constexpr bool forward_iterators = true;

  template <class It, class Out, class F>
  static Out sequential(It first, It last, Out out, F f) {
    if constexpr (is_random_access_v<It> && is_random_access_v<Out>)
      return alone(length(first, last), one_by_one(f), out, first);
    else
      for (; first != last; ++first, (void)++out) *out = std::invoke(f, *first);
    return out;
  }
  template <class It, class It2, class Out, class F>
  static Out sequential(It first, It last, It2 second, Out out, F f) {
    if constexpr (is_random_access_v<It> && is_random_access_v<It2> && is_random_access_v<Out>)
      return alone(length(first, last), one_by_one(f), out, first, second);
    else
      for (; first != last; ++first, (void)++second, (void)++out) *out = std::invoke(f, *first, *second);
    return out;
  }

  template <class It, class Out, class F>
  static Out parallel(const settings& how, It first, It last, Out out, F f) {
    index const n = length(first, last);
    over_iterators(how, n, one_by_one(f), out, first);
    advance_by(out, n);
    return out;
  }
  template <class It, class It2, class Out, class F>
  static Out parallel(const settings& how, It first, It last, It2 second, Out out, F f) {
    index const n = length(first, last);
    over_iterators(how, n, one_by_one(f), out, first, second);
    advance_by(out, n);
    return out;
  }

 private:
  template <class F>
  static auto one_by_one(F& f) {
    return [&f](index count, auto& out, auto&... in) {
      for (; count != 0; --count, (void)++out, ((void)++in, ...)) *out = std::invoke(f, *in...);
    };
  }
  template <class Body, class Out, class... It>
  static Out alone(index n, Body&& body, Out out, It... first) {
    step_through(n, body, out, first...);
    advance_by(out, n);
    return out;
  }
};

/// transform of two ranges, one of which can be read only once, with the ends of all.
struct transform_once_algorithm : algorithm<transform_once_algorithm> {
  template <class It, class It2, class Out, class F>
  static std::ranges::in_in_out_result<It, It2, Out> sequential(It first, It last, It2 second, Out out, F f) {
    for (; first != last; ++first, (void)++second, (void)++out) *out = std::invoke(f, *first, *second);
    return {std::move(first), std::move(second), std::move(out)};
  }
};

/// With ranges, and with projections behind the function. Two ranges may have different lengths; the shorter one
/// counts. The ends of the ranges and of the output.
struct transform_ranges {
  template <class Policy, class R, class Out, class F, class P = std::identity>
  requires(is_execution_policy_v<Policy>&& range_argument<R> && !range_argument<Out>) auto operator()(
      const Policy& policy, R&& r, Out&& out, F f, P p = {}) const {
    static_assert(lives_long_enough<Policy, R>, "with (task), the range must not be a temporary one");
    return over_ranges<transform_algorithm, 1, no_projections, in_and_out<>>{}(policy, r, std::forward<Out>(out),
                                                                               project(std::move(f), std::move(p)));
  }
  template <class Policy, class It, class Out, class F, class P = std::identity>
  requires(is_execution_policy_v<Policy> && !range_argument<It> && !is_iterator_v<F>) auto operator()(
      const Policy& policy, It first, It last, Out out, F f, P p = {}) const {
    return shaped<in_and_out<>>(
        [&] { return transform_algorithm{}(policy, first, last, std::move(out), project(std::move(f), std::move(p))); },
        std::tuple(first, last));
  }
  template <class Policy, class R, class R2, class Out, class F, class P = std::identity, class Q = std::identity>
  requires(is_execution_policy_v<Policy>&& range_argument<R>&& range_argument<R2>) auto operator()(
      const Policy& policy, R&& r, R2&& r2, Out out, F f, P p = {}, Q q = {}) const {
    static_assert(lives_long_enough<Policy, R, R2>, "with (task), no range may be a temporary one");
    auto first = std::ranges::begin(r);
    static_assert(!(is_endless<R> && is_endless<R2>), "one of the ranges must have an end");
    auto const n = std::min<index>(length_of(r), length_of(r2));
    auto const last = std::ranges::next(first, static_cast<std::iter_difference_t<decltype(first)>>(n));
    return (*this)(policy, first, last, std::ranges::begin(r2), std::move(out), std::move(f), std::move(p),
                   std::move(q));
  }
  template <class Policy, class It, class It2, class Out, class F, class P = std::identity, class Q = std::identity>
  requires(is_execution_policy_v<Policy> && !range_argument<It> && is_iterator_v<Out>) auto operator()(
      const Policy& policy, It first, It last, It2 second, Out out, F f, P p = {}, Q q = {}) const {
    auto through = project(std::move(f), std::move(p), std::move(q));
    if constexpr (is_single_pass_v<It> || is_single_pass_v<It2>) {
      return transform_once_algorithm{}(policy, first, last, second, std::move(out), std::move(through));
    } else {
      auto const n = std::ranges::distance(first, last);
      return shaped<two_in_and_out>(
          [&] { return transform_algorithm{}(policy, first, last, second, std::move(out), std::move(through)); },
          std::tuple(first, second, n));
    }
  }
  template <class First, class... Args>
  requires(!is_execution_policy_v<First>) auto operator()(First&& first, Args&&... args) const {
    try {
      return (*this)(execution::seq, std::forward<First>(first), std::forward<Args>(args)...);
    } catch (const exception_list& all) {  // without a policy it is the exception itself
      std::rethrow_exception(*all.begin());
    }
  }

 private:
  template <class Policy, class... R>
  static constexpr bool lives_long_enough = !Policy::is_async || !end_with_the_call<sizeof...(R), R&&...>;
  template <class R>
  static constexpr bool is_endless = have_no_end<std::ranges::sentinel_t<R>>;
  template <class R>
  static index length_of(R& r) {
    if constexpr (is_endless<R>)
      return no_limit;
    else
      return static_cast<index>(std::ranges::distance(r));
  }
};

}  // namespace algo

/// transform([policy,] first, last, out, f): what f makes of each; transform([policy,] first, last, first2, out, f): of
/// pairs; the end of the output.
inline constexpr algo::transform_algorithm transform{};
namespace ranges {
inline constexpr algo::transform_ranges transform{};
}  // namespace ranges

}  // namespace amity
