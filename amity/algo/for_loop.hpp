#pragma once

/// Loops over numbers or iterators, with sums and running values.
///
///     amity::for_loop(amity::execution::par, 0, n, [&](int i) { x[i] *= 2; });
///     amity::for_loop(amity::execution::par, 0, n,
///                     amity::reduction(sum, 0.0, std::plus<>()), amity::induction(1L, 3L),
///                     [&](int i, double& s, long j) { s += x[i] * j; });         // j is 1, 4, 7, ...
///
/// Between the bounds and the body stand reductions, of which the body gets a reference to a part of its own, and
/// inductions, of which it gets the value. Bounds of any integral type; the type of the last one counts. Forward
/// iterators are enough.

#include <concepts>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/algo/iterators.hpp"
#include "amity/algo/reductions.hpp"

namespace amity {

namespace algo {

/// The i-th of a loop that begins at `first`.
template <class I, class Stride>
I nth_index(I first, index i, Stride stride) {
  if constexpr (std::integral<I>) {
    using bits = std::make_unsigned_t<std::common_type_t<I, Stride>>;  // wraps as the strided loop would
    return static_cast<I>(static_cast<bits>(first) + static_cast<bits>(i) * static_cast<bits>(stride));
  } else {
    return first + static_cast<std::iter_difference_t<I>>(i) * static_cast<std::iter_difference_t<I>>(stride);
  }
}

/// A list's iterators can't be computed: one goes there.
template <class I>
inline constexpr bool can_be_indexed = std::integral<I> || is_random_access_v<I>;

/// Number of steps from `first` to before `last`; a negative stride goes down.
template <class I, class Stride>
index steps(I first, I last, Stride stride) {
  if constexpr (std::integral<I>) {
    using bits = std::make_unsigned_t<std::common_type_t<I, int>>;
    bool const down = stride < 0;
    if (stride == 0 || (down ? !(last < first) : !(first < last))) return 0;
    bits const distance =
        down ? static_cast<bits>(first) - static_cast<bits>(last) : static_cast<bits>(last) - static_cast<bits>(first);
    index const step = down ? index{0} - static_cast<index>(stride) : static_cast<index>(stride);
    return (static_cast<index>(distance) - 1) / step + 1;
  } else {
    auto const distance = [&] {
      if constexpr (can_be_indexed<I>) {
        return last - first;
      } else if constexpr (std::bidirectional_iterator<I>) {
        return stride < 0 ? -std::distance(last, first) : std::distance(first, last);
      } else {
        return std::distance(first, last);
      }
    }();
    if (stride == 0 || distance == 0 || (distance < 0) != (stride < 0)) return 0;
    return (static_cast<index>(distance < 0 ? -distance : distance) - 1) /
               static_cast<index>(stride < 0 ? -stride : stride) +
           1;
  }
}

using unit = std::integral_constant<int, 1>;

/// `f(i)` for a chunk of them. Numbers without a stride are counted in their own type: only then can the compiler see
/// that they are neighbours.
template <class I, class Stride, class F>
void each_index(I first, index from, index to, Stride stride, F&& f) {
  if constexpr (std::integral<I> && std::is_same_v<Stride, unit>) {
    I const end = nth_index(first, to, 1);
    for (I i = nth_index(first, from, 1); i != end; ++i) f(i);
  } else {
    for (index i = from; i < to; ++i) f(nth_index(first, i, +stride));
  }
}

/// What a part of a loop has of each reduction and induction.
template <class... Extras>
using loop_states = std::tuple<decltype(std::declval<Extras&>().begin_at(0))...>;
template <class... Extras>
using loop_results = slot_results<std::optional<loop_states<Extras...>>>;

/// A part that begins with the `from`-th. `each(call)` makes call(i) for its elements.
template <class Each, class Body, class... Extras>
void loop_part(std::optional<loop_states<Extras...>>& result, index from, Each each, Body& body, Extras&... extras) {
  using states = loop_states<Extras...>;
  states s = result.has_value() ? std::move(*result) : states(extras.begin_at(from)...);
  std::apply(
      [&](auto&... state) {
        each([&](auto i) {
          body(i, state.get()...);
          (state.next(), ...);
        });
      },
      s);
  result.emplace(std::move(s));
}

/// Puts the parts together.
template <class... Extras>
void end_loop(loop_results<Extras...>& all, index n, Extras&... extras) {
  [&]<std::size_t... E>(std::index_sequence<E...>) {
    all.each([&](std::optional<loop_states<Extras...>>& s) {
      if (s.has_value()) (extras.add(std::get<E>(*s)), ...);
    });
  }
  (std::index_sequence_for<Extras...>());
  (extras.end_at(n), ...);
}

template <class I, class Stride, class Body, class... Extras>
void loop(const settings& how, I first, index n, Stride stride, Body& body, Extras&... extras) {
  if constexpr (sizeof...(Extras) == 0) {
    over_elements(how, n,
                  [&](index from, index to) { each_index(first, from, to, stride, [&body](I i) { body(i); }); });
  } else {
    partition p(how, n, most_slots);
    loop_results<Extras...> all;
    over_slots(p, all, [&](auto& result, index from, index to) {
      loop_part(
          result, from, [&](auto call) { each_index(first, from, to, stride, call); }, body, extras...);
    });
    end_loop(all, n, extras...);
  }
}

/// Calls `f(body, extras...)` for what came as `extras..., body`.
template <class F, class... Rest>
void with_body_first(F f, Rest&... rest) {
  constexpr std::size_t last = sizeof...(Rest) - 1;
  auto all = std::tie(rest...);
  [&]<std::size_t... I>(std::index_sequence<I...>) { f(std::get<last>(all), std::get<I>(all)...); }
  (std::make_index_sequence<last>());
}

/// Each `stride`-th iterator of a list. The last step is made when it is wanted: behind the last one there may be none.
template <class I, class Stride>
class strides {
 public:
  strides(I first, Stride stride) : at_(first), stride_(stride) {}
  strides& operator++() {
    settle();
    pending_ = true;
    return *this;
  }
  [[nodiscard]] I get() {
    settle();
    return at_;
  }

 private:
  void settle() {
    if (std::exchange(pending_, false)) std::advance(at_, static_cast<std::iter_difference_t<I>>(stride_));
  }
  I at_;
  Stride stride_;
  bool pending_ = false;
};

/// The same through what can't be indexed.
template <class I, class Stride, class Body, class... Extras>
void walk(const settings& how, strides<I, Stride> first, index n, Body& body, Extras&... extras) {
  if constexpr (sizeof...(Extras) == 0) {
    over_iterators(
        how, n,
        [&body](index count, strides<I, Stride>& it) {
          for (; count != 0; --count, (void)++it) body(it.get());
        },
        first);
  } else {
    loop_results<Extras...> all;
    over_slots_and_iterators(
        how, n, all,
        [&](auto& result, index from, index count, strides<I, Stride>& it) {
          auto const each = [&](auto call) {
            for (; count != 0; --count, (void)++it) call(it.get());
          };
          loop_part(result, from, each, body, extras...);
        },
        first);
    end_loop(all, n, extras...);
  }
}

template <class I, class Stride, class... Rest>
void run_loop(const settings& how, I first, index n, Stride stride, Rest&... rest) {
  with_body_first(
      [&](auto& body, auto&... extras) {
        if constexpr (can_be_indexed<I>)
          loop(how, first, n, stride, body, extras...);
        else
          walk(how, strides<I, Stride>(first, stride), n, body, extras...);
      },
      rest...);
}

/// What a reduction or an induction gives the body, with each call.
template <class Extra>
using extra_argument = decltype(std::declval<decltype(std::declval<Extra&>().begin_at(0))&>().get());
template <class Extra>
concept loop_extra = requires {
  typename extra_argument<Extra>;
};

/// Whether a body takes a copy of a reduction's part, or may not change it. To be told where it has one operator(), and
/// that is no template. `Given`: what it gets.
template <class Body, class... Given>
struct copies_a_part {
  template <class Result, class... Parameters>
  static constexpr bool of(Result (Body::*)(Parameters...) const) {
    return any<Parameters...>();
  }
  template <class Result, class... Parameters>
  static constexpr bool of(Result (Body::*)(Parameters...)) {
    return any<Parameters...>();
  }
  template <class Other>
  static constexpr bool of(Other) {
    return false;
  }
  template <class... Parameters>
  static constexpr bool any() {
    if constexpr (sizeof...(Parameters) == sizeof...(Given))
      return ((is_part<Given> && !can_change<Parameters>) || ...);
    else
      return false;
  }
  template <class T>
  static constexpr bool is_part = std::is_lvalue_reference_v<T> && !std::is_const_v<std::remove_reference_t<T>>;
  template <class T>
  static constexpr bool can_change = !(std::is_const_v<std::remove_reference_t<T>> || !std::is_reference_v<T>);
};

/// Says what is wrong with a loop's reductions and inductions, and the body behind them. `I` is what it counts by.
template <class I, class... Rest>
constexpr bool accepts_body() {
  constexpr std::size_t last = sizeof...(Rest) - 1;
  using all = std::tuple<std::remove_cvref_t<Rest>...>;
  using body = std::decay_t<std::tuple_element_t<last, std::tuple<Rest...>>>;
  return []<std::size_t... E>(std::index_sequence<E...>) {
    if constexpr (loop_extra<body> || !(loop_extra<std::tuple_element_t<E, all>> && ...)) {
      static_assert(
          sizeof...(Rest) == 0,
          "for_loop: the body comes last; between it and the bounds there are reductions and inductions only");
      return false;
    } else if constexpr (!std::is_constructible_v<body, std::tuple_element_t<last, std::tuple<Rest&&...>>>) {
      static_assert(sizeof...(Rest) == 0,
                    "for_loop: the loop keeps its body, which can't be copied: give it by std::move, or std::ref");
      return false;
    } else if constexpr (std::is_invocable_v<body&, I&, extra_argument<std::tuple_element_t<E, all>>...> ||
                         std::is_invocable_v<body&, I, extra_argument<std::tuple_element_t<E, all>>...>) {
      if constexpr (requires { &body::operator(); }) {
        constexpr bool copies =
            copies_a_part<body, I, extra_argument<std::tuple_element_t<E, all>>...>::of(&body::operator());
        static_assert(!copies,
                      "for_loop: the body has to take the part of a reduction by reference: [&](int i, double& part)");
        return !copies;
      } else {
        return true;
      }
    } else if constexpr (last > 0) {
      static_assert(sizeof...(Rest) == 0,
                    "for_loop: behind the index the body has a parameter for each reduction and induction before it: "
                    "[&](int i, double& part)");
      return false;
    } else {
      static_assert(sizeof...(Rest) == 0,
                    "for_loop: the body can't be called with an index of this loop alone: [&](int i)");
      return false;
    }
  }
  (std::make_index_sequence<last>());
}

/// Those four differ in how the bounds are given.
struct for_loop_algorithm : algorithm<for_loop_algorithm> {
  static constexpr bool forward_iterators = true;
  template <class, class I, class... Rest>
  static constexpr bool accepts() {
    return accepts_body<std::decay_t<I>, Rest...>();
  }
  template <class First, class I, class... Rest>
  static void parallel(const settings& how, First first, I last, Rest... rest) {
    auto const begin = static_cast<I>(first);
    run_loop(how, begin, steps(begin, last, 1), unit(), rest...);
  }
  template <class... Args>
  static void sequential(Args... args) {
    parallel(in_order, std::move(args)...);
  }
};

struct for_loop_strided_algorithm : algorithm<for_loop_strided_algorithm> {
  static constexpr bool forward_iterators = true;
  template <class, class I, class, class... Rest>
  static constexpr bool accepts() {
    return accepts_body<std::decay_t<I>, Rest...>();
  }
  template <class First, class I, class Stride, class... Rest>
  static void parallel(const settings& how, First first, I last, Stride stride, Rest... rest) {
    auto const begin = static_cast<I>(first);
    run_loop(how, begin, steps(begin, last, stride), stride, rest...);
  }
  template <class... Args>
  static void sequential(Args... args) {
    parallel(in_order, std::move(args)...);
  }
};

struct for_loop_n_algorithm : algorithm<for_loop_n_algorithm> {
  static constexpr bool forward_iterators = true;
  template <class I, class, class... Rest>
  static constexpr bool accepts() {
    return accepts_body<std::decay_t<I>, Rest...>();
  }
  template <class I, class Size, class... Rest>
  static void parallel(const settings& how, I first, Size n, Rest... rest) {
    if constexpr (std::integral<I> && sizeof(I) < sizeof(int))
      if (n > 0 && static_cast<index>(n) > static_cast<index>(std::numeric_limits<I>::max()))
        return run_loop(how, first, static_cast<index>(n), 1, rest...);  // may come to its first number again
    run_loop(how, first, n > 0 ? static_cast<index>(n) : 0, unit(), rest...);
  }
  template <class... Args>
  static void sequential(Args... args) {
    parallel(in_order, std::move(args)...);
  }
};

struct for_loop_n_strided_algorithm : algorithm<for_loop_n_strided_algorithm> {
  static constexpr bool forward_iterators = true;
  template <class I, class, class, class... Rest>
  static constexpr bool accepts() {
    return accepts_body<std::decay_t<I>, Rest...>();
  }
  template <class I, class Size, class Stride, class... Rest>
  static void parallel(const settings& how, I first, Size n, Stride stride, Rest... rest) {
    run_loop(how, first, n > 0 ? static_cast<index>(n) : 0, stride, rest...);
  }
  template <class... Args>
  static void sequential(Args... args) {
    parallel(in_order, std::move(args)...);
  }
};

}  // namespace algo

/// for_loop([policy,] first, last[, reductions and inductions...], f): f(i, parts...) for each i of [first, last),
/// numbers or iterators. Returns when all calls have; with par(task) a future<void>.
inline constexpr algo::for_loop_algorithm for_loop{};
/// for_loop_strided([policy,] first, last, stride[, reductions and inductions...], f): the same in steps, which may go
/// down. A step of 0 does nothing.
inline constexpr algo::for_loop_strided_algorithm for_loop_strided{};
/// for_loop_n([policy,] first, n[, reductions and inductions...], f): for n numbers or iterators from first on.
inline constexpr algo::for_loop_n_algorithm for_loop_n{};
/// for_loop_n_strided([policy,] first, n, stride[, reductions and inductions...], f): n steps.
inline constexpr algo::for_loop_n_strided_algorithm for_loop_n_strided{};
namespace ranges {
inline constexpr algo::over_ranges<algo::for_loop_algorithm, 1> for_loop{};
inline constexpr algo::over_ranges<algo::for_loop_strided_algorithm, 1> for_loop_strided{};
}  // namespace ranges

/// HPX's names for them.
namespace experimental {
using amity::for_loop;
using amity::for_loop_n;
using amity::for_loop_n_strided;
using amity::for_loop_strided;
using amity::induction;
using amity::reduction;
using amity::reduction_bit_and;
using amity::reduction_bit_or;
using amity::reduction_bit_xor;
using amity::reduction_max;
using amity::reduction_min;
using amity::reduction_multiplies;
using amity::reduction_plus;
}  // namespace experimental

}  // namespace amity
