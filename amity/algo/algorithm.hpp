#pragma once

/// How an algorithm is called. Each is an object of a class derived from `algorithm`, with two functions:
///
///     struct fill_algorithm : algo::algorithm<fill_algorithm> {
///       template <class It, class T> static void sequential(It first, It last, const T& value);   // std's
///       template <class It, class T> static void parallel(const settings& how, It first, It last, const T& value);
///     };
///     inline constexpr algo::fill_algorithm fill{};                              // amity::fill
///     namespace ranges {
///     inline constexpr algo::over_ranges<algo::fill_algorithm, 1, algo::no_projections, algo::end_of_range<>> fill{};
///     }
///
/// `parallel` is called with random-access iterators only, unless the algorithm says that forward_iterators will do.
/// A third, `template <class... Args> static constexpr bool accepts()`, may say by static_assert what is wrong with the
/// arguments as they were given, and return false: then nothing else is compiled of the call.
/// None sees sentinels: where a range ends with one, it gets the iterator there. Of a range without an end there is
/// none: some searches take it, if no policy is given, and have a function for it, `endless`.

#include <concepts>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/algo/annotation.hpp"
#include "amity/algo/execution.hpp"
#include "amity/algo/projection.hpp"
#include "amity/algo/range_results.hpp"
#include "amity/finish/exception_list.hpp"
#include "amity/future/async.hpp"

namespace amity::algo {

template <class T, class = void>
struct category_of {
  using type = void;
};
template <class T>
struct category_of<T, std::void_t<typename std::iterator_traits<T>::iterator_category>> {
  using type = typename std::iterator_traits<T>::iterator_category;
};

/// An iterator in the sense of C++17 or of C++20.
template <class T>
inline constexpr bool is_iterator_v = !std::is_void_v<typename category_of<T>::type> || std::input_iterator<T>;

/// What stands for an element of a vector<bool>, perhaps as one of several.
template <class T>
inline constexpr bool is_bit_v = std::is_same_v<T, std::vector<bool>::reference>;
template <class... T>
inline constexpr bool is_bit_v<std::tuple<T...>> = (is_bit_v<std::remove_cvref_t<T>> || ...);
template <class T, class U>
inline constexpr bool is_bit_v<std::pair<T, U>> = is_bit_v<std::tuple<T, U>>;

/// Neighbours of a vector<bool> share a word: two chunks must not write to it. There are adaptors of its iterators, so
/// their elements tell.
template <class T>
inline constexpr bool shares_words = false;
template <class T>
requires requires(T& it) { *it; }
inline constexpr bool shares_words<T> = is_bit_v<std::remove_cvref_t<decltype(*std::declval<T&>())>>;

template <class T>
inline constexpr bool is_random_access_v =
    (std::is_base_of_v<std::random_access_iterator_tag, typename category_of<T>::type> ||
     std::random_access_iterator<T>)&&!shares_words<T>;
template <class T>
inline constexpr bool is_forward_v = (std::is_base_of_v<std::forward_iterator_tag, typename category_of<T>::type> ||
                                      std::forward_iterator<T>)&&!shares_words<T>;
/// What can be read only once: where it ends can't be found again behind an algorithm.
template <class T>
inline constexpr bool is_single_pass_v = std::input_iterator<T> && !std::forward_iterator<T>;

template <class A>
concept takes_forward_iterators = A::forward_iterators;

template <class A, class... Args>
inline constexpr bool can_be_shared = takes_forward_iterators<A>
                                          ? ((!is_iterator_v<Args> || is_forward_v<Args>)&&...)
                                          : ((!is_iterator_v<Args> || is_random_access_v<Args>)&&...);

/// `S` ends ranges that an `I` begins and is of another kind, as std::default_sentinel of a counted iterator. A value
/// that only happens to compare with iterators is none: it compares with elements, too, or is a pointer.
template <class I, class S>
concept ends_with = std::is_class_v<S> && !is_iterator_v<S> && std::sentinel_for<S, I> &&
                    (std::sized_sentinel_for<S, I> || !requires(const S& s, I it) { *it == s; });

/// Argument I + 1 ends the range that argument I begins, and is of another type.
template <std::size_t I, class... Args>
inline constexpr bool has_sentinel_behind = [] {
  if constexpr (I + 1 < sizeof...(Args))
    return ends_with<std::decay_t<std::tuple_element_t<I, std::tuple<Args...>>>,
                     std::decay_t<std::tuple_element_t<I + 1, std::tuple<Args...>>>>;
  else
    return false;
}();

template <class... Args>
inline constexpr bool have_sentinels = []<std::size_t... I>(std::index_sequence<I...>) {
  return (has_sentinel_behind<I, Args...> || ...);
}
(std::index_sequence_for<Args...>());

/// Argument I, or the iterator that it stands for.
template <std::size_t I, class... Args>
decltype(auto) without_sentinel(const std::tuple<Args&&...>& all) {
  using arg = std::tuple_element_t<I, std::tuple<Args&&...>>;
  if constexpr (I > 0)
    if constexpr (has_sentinel_behind<I - 1, Args...>)
      return std::ranges::next(std::get<I - 1>(all), std::get<I>(all));
    else
      return static_cast<arg>(std::get<I>(all));
  else
    return static_cast<arg>(std::get<I>(all));
}

/// One of these ranges has no end. (std::views::iota(1) ends in that way.)
template <class... Args>
inline constexpr bool have_no_end = (std::is_same_v<std::remove_cvref_t<Args>, std::unreachable_sentinel_t> || ...);

template <class A>
concept needs_no_end = A::needs_no_end;

/// `call` with iterators in place of sentinels.
template <class Call, class... Args>
auto with_common_ends(const Call& call, Args&&... args) {
  std::tuple<Args&&...> const all(std::forward<Args>(args)...);
  return [&]<std::size_t... I>(std::index_sequence<I...>) { return call(without_sentinel<I, Args...>(all)...); }
  (std::index_sequence_for<Args...>());
}

/// With a policy the algorithm gives nothing, whether these arguments can be shared or not.
template <class A, class... Args>
inline constexpr bool gives_nothing = requires(const settings& how, Args&&... args) {
  { A::parallel(how, std::forward<Args>(args)...) } -> std::same_as<void>;
};

/// For a result in place of void.
struct none {};

/// Iterators over the memory of several processes have a member type `is_segmented`. An algorithm has another form for
/// them: `run_over_segments(algorithm, parallel, args...)`, which lies beside the iterator.
template <class T>
inline constexpr bool is_segmented_v = false;
template <class T>
requires requires { typename T::is_segmented; }
inline constexpr bool is_segmented_v<T> = true;
template <class... Args>
inline constexpr bool go_over_segments = (is_segmented_v<std::decay_t<Args>> || ...);

template <class A, class... Args>
auto run_segmented(bool parallel, const Args&... args) {
  constexpr bool has_form = requires { run_over_segments(A(), parallel, args...); };
  static_assert(has_form, "this algorithm has no form over a partitioned_vector, or not with these arguments");
  if constexpr (has_form) return run_over_segments(A(), parallel, args...);
}

/// What an algorithm gets of an argument: a copy, since a value may be an element of the range; itself if it can't be
/// copied.
template <class Arg>
using kept = std::conditional_t<std::is_constructible_v<std::decay_t<Arg>, Arg>, std::decay_t<Arg>, Arg&&>;

template <class A, class... Args>
auto run_now(bool parallel, const settings& how, Args&&... args) {
  annotated const name(how.annotation);
  if constexpr (can_be_shared<A, std::decay_t<Args>...>) {
    using result = decltype(A::parallel(how, std::forward<Args>(args)...));
    if (parallel && !is_sequential(how)) return A::parallel(how, std::forward<Args>(args)...);
    if constexpr (std::is_void_v<result>)
      static_cast<void>(A::sequential(std::forward<Args>(args)...));
    else
      return static_cast<result>(A::sequential(std::forward<Args>(args)...));
  } else if constexpr (gives_nothing<A, Args...>) {
    static_cast<void>(A::sequential(std::forward<Args>(args)...));
  } else {
    return A::sequential(std::forward<Args>(args)...);
  }
}

template <class A, class... Args>
constexpr bool accepts_call() {
  if constexpr (go_over_segments<Args...>)
    return true;  // their elements are not there to be looked at
  else if constexpr (requires { A::template accepts<Args...>(); })
    return A::template accepts<Args...>();
  else
    return true;
}

template <class Derived>
struct algorithm {
  /// As the policy says; with a future of the result if it is asynchronous. Throws an exception_list of what the
  /// program's functions throw.
  template <class Policy, class... Args>
  requires is_execution_policy_v<Policy>
  auto operator()(const Policy& policy, Args&&... args) const {
    static_assert(!have_no_end<Args...>, "with a policy, a range must have an end (not std::unreachable_sentinel)");
    if constexpr (have_sentinels<Args...>)
      return with_common_ends([&](auto&&... all) { return (*this)(policy, std::forward<decltype(all)>(all)...); },
                              std::forward<Args>(args)...);
    else if constexpr (!accepts_call<Derived, Args...>())
      return;  // it has been said why
    else if constexpr (Policy::is_async)
      return async([policy, ... args = std::forward<Args>(args)]() mutable {
        return run_with_policy<Policy>(policy, std::move(args)...);
      });
    else
      return run_with_policy<Policy>(policy, static_cast<kept<Args>>(std::forward<Args>(args))...);
  }

  /// As std's: what a function throws is thrown itself.
  template <class First, class... Args>
  requires(!is_execution_policy_v<First>) auto operator()(First&& first, Args&&... args) const {
    if constexpr (have_no_end<Args...>)
      return without_end(std::forward<First>(first), std::forward<Args>(args)...);
    else if constexpr (have_sentinels<First, Args...>)
      return with_common_ends([&](auto&&... all) { return (*this)(std::forward<decltype(all)>(all)...); },
                              std::forward<First>(first), std::forward<Args>(args)...);
    else if constexpr (go_over_segments<First, Args...>)
      return run_segmented<Derived>(false, first, args...);
    else if constexpr (!accepts_call<Derived, First, Args...>())
      return;
    else
      return Derived::sequential(std::forward<First>(first), static_cast<kept<Args>>(std::forward<Args>(args))...);
  }

 private:
  template <class Policy, class... Args>
  static auto run_with_policy(const Policy& policy, Args&&... args) {
    try {
      if constexpr (go_over_segments<Args...>)
        return run_segmented<Derived>(Policy::is_parallel, args...);
      else
        return run_now<Derived>(Policy::is_parallel, policy.settings(), std::forward<Args>(args)...);
    } catch (...) {
      detail::throw_handled_as_list();
    }
  }

  template <class First, class Last, class... Args>
  static auto without_end(First&& first, const Last&, Args&&... args) {
    static_assert(have_no_end<Last> && needs_no_end<Derived>,
                  "this algorithm needs ranges that have an end (not std::unreachable_sentinel)");
    return Derived::endless(std::forward<First>(first), std::forward<Args>(args)...);
  }
};

// --- ranges

template <class T>
concept range_argument = requires(T& r) {
  std::ranges::begin(r);
  std::ranges::end(r);
};

/// A range's two iterators, of one type unless it has no end; whatever else as it is.
template <bool MayBeRange, class Arg>
auto iterators_of(Arg&& arg) {
  if constexpr (MayBeRange && range_argument<std::remove_reference_t<Arg>>) {
    auto first = std::ranges::begin(arg);
    auto last = std::ranges::end(arg);
    if constexpr (std::is_same_v<decltype(first), decltype(last)> || have_no_end<decltype(last)>) {
      return std::tuple(std::move(first), std::move(last));
    } else {
      auto const end = std::ranges::next(first, last);
      return std::tuple(std::move(first), end);
    }
  } else {
    return std::tuple<Arg&&>(std::forward<Arg>(arg));
  }
}

/// One of the first `Ranges` arguments is a range that ends with the call, so that a future would come too late: a
/// value whose iterators don't live longer than it.
template <std::size_t Ranges, class... Args>
inline constexpr bool end_with_the_call = []<std::size_t... I>(std::index_sequence<I...>) {
  return ((I < Ranges && !std::is_lvalue_reference_v<Args> && range_argument<std::remove_reference_t<Args>> &&
           !std::ranges::borrowed_range<Args>) ||
          ...);
}
(std::index_sequence_for<Args...>());

/// The first `Ranges` arguments may be ranges; where they are iterators, all stays as it is.
template <std::size_t Ranges>
struct ranges_in_front {
  static constexpr std::size_t ranges = Ranges;
  template <class... Args>
  static auto flat(Args&&... args) {
    return flat_each(std::index_sequence_for<Args...>(), std::forward<Args>(args)...);
  }

 private:
  template <std::size_t... I, class... Args>
  static auto flat_each(std::index_sequence<I...>, Args&&... args) {
    return std::tuple_cat(iterators_of<(I < Ranges)>(std::forward<Args>(args))...);
  }
};

/// A range and an iterator in it: first, middle, last.
struct range_around_middle {
  static constexpr std::size_t ranges = 1;
  template <class First, class Middle, class... Args>
  static auto flat(First&& first, Middle&& middle, Args&&... args) {
    if constexpr (range_argument<std::remove_reference_t<First>>) {
      auto [begin, end] = iterators_of<true>(first);
      return std::tuple_cat(std::tuple(std::move(begin), std::forward<Middle>(middle), std::move(end)),
                            std::forward_as_tuple(std::forward<Args>(args)...));
    } else {
      return std::forward_as_tuple(std::forward<First>(first), std::forward<Middle>(middle),
                                   std::forward<Args>(args)...);
    }
  }
};

template <class... T>
inline constexpr bool any_by_default = (std::is_same_v<std::remove_cvref_t<T>, by_default> || ...);

/// An algorithm with ranges in place of iterators. It returns what that of std::ranges does: what `Result` makes of
/// what the algorithm gives (range_results.hpp). Iterators may be given as well. `{}` may stand for its function and
/// for projections.
template <class A, class Ranges, class Projections, class Result = as_it_is>
struct with_ranges {
  template <class First, class... Args>
  auto operator()(First&& first, Args&&... args) const {
    return run(std::forward<First>(first), std::forward<Args>(args)...);
  }

  // What `{}` is can't be deduced, so that its parameter must have a name and a type by default.
  template <class T, class U = by_default>
  requires any_by_default<U>
  auto operator()(T&& t, U&& u) const { return run(std::forward<T>(t), std::forward<U>(u)); }
  template <class T, class U = by_default, class V = by_default>
  requires any_by_default<U, V>
  auto operator()(T&& t, U&& u, V&& v) const { return run(std::forward<T>(t), std::forward<U>(u), std::forward<V>(v)); }
  template <class T, class U = by_default, class V = by_default, class W = by_default>
  requires any_by_default<U, V, W>
  auto operator()(T&& t, U&& u, V&& v, W&& w) const {
    return run(std::forward<T>(t), std::forward<U>(u), std::forward<V>(v), std::forward<W>(w));
  }
  template <class T, class U, class V = by_default, class W = by_default, class X = by_default>
  requires any_by_default<V, W, X>
  auto operator()(T&& t, U&& u, V&& v, W&& w, X&& x) const {
    return run(std::forward<T>(t), std::forward<U>(u), std::forward<V>(v), std::forward<W>(w), std::forward<X>(x));
  }
  template <class T, class U, class V, class W = by_default, class X = by_default, class Y = by_default>
  requires any_by_default<W, X, Y>
  auto operator()(T&& t, U&& u, V&& v, W&& w, X&& x, Y&& y) const {
    return run(std::forward<T>(t), std::forward<U>(u), std::forward<V>(v), std::forward<W>(w), std::forward<X>(x),
               std::forward<Y>(y));
  }
  template <class T, class U, class V, class W, class X = by_default, class Y = by_default, class Z = by_default>
  requires any_by_default<X, Y, Z>
  auto operator()(T&& t, U&& u, V&& v, W&& w, X&& x, Y&& y, Z&& z) const {
    return run(std::forward<T>(t), std::forward<U>(u), std::forward<V>(v), std::forward<W>(w), std::forward<X>(x),
               std::forward<Y>(y), std::forward<Z>(z));
  }
  template <class S, class T, class U, class V, class W, class X = by_default, class Y = by_default,
            class Z = by_default>
  requires any_by_default<X, Y, Z>
  auto operator()(S&& s, T&& t, U&& u, V&& v, W&& w, X&& x, Y&& y, Z&& z) const {
    return run(std::forward<S>(s), std::forward<T>(t), std::forward<U>(u), std::forward<V>(v), std::forward<W>(w),
               std::forward<X>(x), std::forward<Y>(y), std::forward<Z>(z));
  }
  template <class R, class S, class T, class U, class V, class W, class X = by_default, class Y = by_default,
            class Z = by_default>
  requires any_by_default<X, Y, Z>
  auto operator()(R&& r, S&& s, T&& t, U&& u, V&& v, W&& w, X&& x, Y&& y, Z&& z) const {
    return run(std::forward<R>(r), std::forward<S>(s), std::forward<T>(t), std::forward<U>(u), std::forward<V>(v),
               std::forward<W>(w), std::forward<X>(x), std::forward<Y>(y), std::forward<Z>(z));
  }

 private:
  template <class First, class... Args>
  static auto run(First&& first, Args&&... args) {
    if constexpr (is_execution_policy_v<First>) {
      static_assert(!std::remove_cvref_t<First>::is_async || !end_with_the_call<Ranges::ranges, Args&&...>,
                    "with (task), the range must still be there when the future is ready: not a temporary one");
      return call<1>(std::tuple_cat(std::tie(first), Ranges::flat(std::forward<Args>(args)...)));
    } else {
      return call<0>(Ranges::flat(std::forward<First>(first), std::forward<Args>(args)...));
    }
  }

  /// The algorithm with iterators, behind `Policies` policies.
  template <std::size_t Policies, class... Args>
  static auto call(std::tuple<Args...>&& all) {
    return [&]<std::size_t... I, std::size_t... K>(std::index_sequence<I...>, std::index_sequence<K...>) {
      auto const run = [&] {
        return Projections::template call<A, Policies>(settled<I - Policies>(std::get<I>(std::move(all)))...);
      };
      if constexpr (std::is_same_v<Result, as_it_is>)
        return run();
      else
        return shaped<Result>(run, std::tuple(before_it<Policies + K>(all)...));
    }
    (std::index_sequence_for<Args...>(), std::make_index_sequence<Result::keeps>());
  }
  /// Argument I of the algorithm, before it runs: it may write what a sentinel looks for.
  template <std::size_t I, class... Args>
  static auto before_it(const std::tuple<Args...>& all) {
    constexpr std::size_t before = I == 0 ? 0 : I - 1;
    if constexpr (I != 0 && has_sentinel_behind<before, Args...>)
      return std::ranges::next(std::get<before>(all), std::get<I>(all));
    else
      return std::get<I>(all);
  }
  /// What stands for `{}` as argument `Place`; other arguments as they are.
  template <std::size_t Place, class Arg>
  static decltype(auto) settled(Arg&& arg) {
    if constexpr (!any_by_default<Arg>) {
      return static_cast<Arg&&>(arg);
    } else if constexpr (Place == Projections::function_place) {
      using function = typename Projections::function_by_default;
      static_assert(!std::is_void_v<function>, "{}: this algorithm has no function by default");
      return std::conditional_t<std::is_void_v<function>, std::identity, function>();
    } else {
      static_assert(Place - 1 >= Projections::function_place && Projections::function_place != nowhere,
                    "{}: neither a function nor a projection of this algorithm stands there");
      return std::identity();
    }
  }
};

/// With ranges for each of the first `Ranges` pairs of iterators.
template <class A, std::size_t Ranges, class Projections = no_projections, class Result = as_it_is>
using over_ranges = with_ranges<A, ranges_in_front<Ranges>, Projections, Result>;

/// With a range and a place in it for first, middle, last.
template <class A, class Projections = no_projections, class Result = as_it_is>
using over_range_around = with_ranges<A, range_around_middle, Projections, Result>;

}  // namespace amity::algo
