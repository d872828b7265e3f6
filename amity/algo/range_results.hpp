#pragma once

/// What algorithms over ranges return: what those of std::ranges do, that is, where they ended in each range.
///
///     auto [in, out] = amity::ranges::copy(amity::execution::par, v, w.begin());
///     auto later = amity::ranges::minmax_element(amity::execution::par(amity::execution::task), v);
///     std::iter_swap(v.begin(), later.get().max);
///
/// An algorithm with iterators returns less: the end of its output, a pair, or nothing. Each class here makes the one
/// of the other: `of(result, iterators...)`, or `after(iterators...)` where there was no result. The iterators are the
/// first `keeps` arguments of the algorithm, as they were before it.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/future/future.hpp"

namespace amity::algo {

/// What the algorithm gives, as it is.
struct as_it_is {
  static constexpr std::size_t keeps = 0;
};

/// The end of the range, from an algorithm that gives nothing; and what else one gives as it is. `Keeps` is 3 where the
/// range is given as first, middle, last.
template <std::size_t Keeps = 2>
struct end_of_range {
  static constexpr std::size_t keeps = Keeps;
  template <class It, class... Rest>
  static It after(const It&, const Rest&... rest) {
    return std::get<sizeof...(Rest) - 1>(std::tie(rest...));
  }
  template <class Given, class... Its>
  static Given of(Given given, const Its&...) {
    return given;
  }
};

/// for_each's: the end, and the function where that is given.
struct end_and_function : end_of_range<> {
  template <class F, class It>
  static std::ranges::in_fun_result<It, F> of(F f, const It&, const It& last) {
    return {last, std::move(f)};
  }
};

/// The end of the range and of the output, which is what the algorithm gives.
template <std::size_t Keeps = 2>
struct in_and_out {
  static constexpr std::size_t keeps = Keeps;
  template <class Out, class It, class... Rest>
  static std::ranges::in_out_result<It, Out> of(Out out, const It&, const Rest&... rest) {
    return {std::get<sizeof...(Rest) - 1>(std::tie(rest...)), std::move(out)};
  }
};

/// The same of [first, first + n).
struct n_in_and_out {
  static constexpr std::size_t keeps = 2;
  template <class Out, class It, class Size>
  static std::ranges::in_out_result<It, Out> of(Out out, It first, Size n) {
    if (n > 0) std::ranges::advance(first, static_cast<std::iter_difference_t<It>>(n));
    return {std::move(first), std::move(out)};
  }
  /// Of algorithms that give both.
  template <class Out, class It, class Size>
  static std::ranges::in_out_result<It, Out> of(std::ranges::in_out_result<It, Out> ends, const It&, Size) {
    return ends;
  }
  template <class Out, class It, class Size>
  static std::ranges::in_out_result<It, Out> of(std::pair<It, Out> ends, const It&, Size) {
    return {std::move(ends.first), std::move(ends.second)};
  }
};

/// The ends of two ranges and of the output.
struct in_in_and_out {
  static constexpr std::size_t keeps = 4;
  template <class Out, class It, class It2>
  static std::ranges::in_in_out_result<It, It2, Out> of(Out out, const It&, const It& last, const It2&,
                                                        const It2& last2) {
    return {last, last2, std::move(out)};
  }
};

/// The same of [first, first + n) and [second, second + n).
struct two_in_and_out {
  static constexpr std::size_t keeps = 3;
  template <class Out, class It, class It2, class Size>
  static std::ranges::in_in_out_result<It, It2, Out> of(Out out, It first, It2 second, Size n) {
    std::ranges::advance(first, static_cast<std::iter_difference_t<It>>(n));
    std::ranges::advance(second, static_cast<std::iter_difference_t<It2>>(n));
    return {std::move(first), std::move(second), std::move(out)};
  }
};

/// The end of the first of two ranges, and of the output.
struct first_in_and_out {
  static constexpr std::size_t keeps = 4;
  template <class Out, class It, class It2>
  static std::ranges::in_out_result<It, Out> of(Out out, const It&, const It& last, const It2&, const It2&) {
    return {last, std::move(out)};
  }
};

/// The end of the range and of two outputs.
struct in_and_two_out {
  static constexpr std::size_t keeps = 2;
  template <class Out, class Out2, class It>
  static std::ranges::in_out_out_result<It, Out, Out2> of(std::pair<Out, Out2> outs, const It&, const It& last) {
    return {last, std::move(outs.first), std::move(outs.second)};
  }
};

/// Two places in two ranges.
struct two_places {
  static constexpr std::size_t keeps = 0;
  template <class It, class It2>
  static std::ranges::in_in_result<It, It2> of(std::pair<It, It2> places) {
    return {std::move(places.first), std::move(places.second)};
  }
};

/// The smallest and the largest.
struct smallest_and_largest {
  static constexpr std::size_t keeps = 0;
  template <class It>
  static std::ranges::min_max_result<It> of(std::pair<It, It> places) {
    return {std::move(places.first), std::move(places.second)};
  }
};

/// What is from the iterator that the algorithm gives to the end of the range. `Keeps` as above.
template <std::size_t Keeps = 2>
struct rest_of_range {
  static constexpr std::size_t keeps = Keeps;
  template <class It, class... Rest>
  static std::ranges::subrange<It> of(It from, const It&, const Rest&... rest) {
    return {std::move(from), std::get<sizeof...(Rest) - 1>(std::tie(rest...))};
  }
};

/// What `Result` makes of what `call()` gives, and of the iterators. If that is a future, a future of it.
template <class Result, class Call, class... Its>
auto shaped(Call&& call, std::tuple<Its...> its) {
  using given = decltype(call());
  if constexpr (amity::detail::is_future_v<given>) {
    return call().then(launch::sync, detail::as_glue{[its = std::move(its)](given ready) mutable {
                         return shaped<Result>([&ready] { return ready.get(); }, std::move(its));
                       }});
  } else if constexpr (std::is_void_v<given>) {
    call();
    return std::apply(
        [](auto&&... it) {
          if constexpr (requires { Result::after(std::move(it)...); }) return Result::after(std::move(it)...);
        },
        std::move(its));
  } else {
    auto result = call();
    return std::apply([&result](auto&&... it) { return Result::of(std::move(result), std::move(it)...); },
                      std::move(its));
  }
}

}  // namespace amity::algo
