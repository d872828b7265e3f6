#pragma once

/// Projections, as the algorithms of std::ranges take them: what an element's function sees is what the projection
/// makes of the element.
///
///     amity::ranges::sort(amity::execution::par, people, {}, &person::age);
///     amity::ranges::find(amity::execution::par, people, "Ada", &person::name);
///
/// Algorithms know nothing of them: the function that they get is one object with the projection. Functions may be
/// pointers to members, as projections may.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/base/language.hpp"

namespace amity::algo {

/// What F gives for what projections gave, `X`. It may refer to these: where one is a value, which ends with the call,
/// it is a value, too.
template <class F, class... X>
using result_through = std::conditional_t<(std::is_reference_v<X> && ...), std::invoke_result_t<F&, X...>,
                                          std::decay_t<std::invoke_result_t<F&, X...>>>;

/// `f` of elements of one range.
template <class F, class P>
struct projected {
  F f;
  P p;
  template <class... T>
  result_through<F, std::invoke_result_t<P&, T>...> operator()(T&&... x) {
    return std::invoke(f, std::invoke(p, std::forward<T>(x))...);
  }
};

/// `f` of an element of a range and of one of another.
template <class F, class P, class Q>
struct projected_pair {
  F f;
  P p;
  Q q;
  template <class T, class U>
  result_through<F, std::invoke_result_t<P&, T>, std::invoke_result_t<Q&, U>> operator()(T&& x, U&& y) {
    return std::invoke(f, std::invoke(p, std::forward<T>(x)), std::invoke(q, std::forward<U>(y)));
  }
};

/// A pointer to a member, as a function that can be called as any other.
template <class M>
struct member_function {
  M member;
  template <class... T>
  std::invoke_result_t<const M&, T...> operator()(T&&... x) const {
    return std::invoke(member, std::forward<T>(x)...);
  }
};

/// A function's argument, to be handed on: itself, unless it points to a member.
template <class F>
decltype(auto) callable(F&& f) {
  if constexpr (std::is_member_pointer_v<std::decay_t<F>>)
    return member_function<std::decay_t<F>>{f};
  else
    return static_cast<F&&>(f);
}
template <class F>
using callable_t = std::decay_t<decltype(callable(std::declval<F>()))>;

template <class... P>
inline constexpr bool change_nothing = (std::is_same_v<std::decay_t<P>, std::identity> && ...);

/// A function through projections; itself if they change nothing.
template <class F, class P>
auto project(F&& f, P&& p) {
  if constexpr (change_nothing<P>)
    return callable_t<F>(callable(std::forward<F>(f)));
  else
    return projected<std::decay_t<F>, std::decay_t<P>>{std::forward<F>(f), std::forward<P>(p)};
}
template <class F, class P, class Q>
auto project(F&& f, P&& p, Q&& q) {
  if constexpr (change_nothing<P, Q>)
    return callable_t<F>(callable(std::forward<F>(f)));
  else
    return projected_pair<std::decay_t<F>, std::decay_t<P>, std::decay_t<Q>>{std::forward<F>(f), std::forward<P>(p),
                                                                             std::forward<Q>(q)};
}

/// What for_each gives back is the function that it got.
template <class T>
T without_projection(T&& x) {
  return std::forward<T>(x);
}
template <class F, class P>
F without_projection(projected<F, P>&& x) {
  return std::move(x.f);
}
template <class M>
M without_projection(member_function<M>&& x) {
  return x.member;
}

// --- how an algorithm takes projections

/// `{}` among an algorithm's arguments: a function or a projection, as none were given. No template can tell what it is
/// but by its place.
struct by_default {};
/// No place, in `function_place`.
inline constexpr std::size_t nowhere = ~std::size_t{0};

struct no_projections {
  using function_by_default = void;
  static constexpr std::size_t function_place = nowhere;
  template <class A, std::size_t Policies, class... Args>
  static auto call(Args&&... args) {
    return A{}(std::forward<Args>(args)...);
  }
};

/// None, either; but argument `Place`, if there is one, is a function, and may be a pointer to a member.
template <std::size_t Place>
struct function_without_projections {
  using function_by_default = void;
  static constexpr std::size_t function_place = Place;
  template <class A, std::size_t Policies, class... Args>
  static auto call(Args&&... args) {
    constexpr std::size_t place = Policies + Place;
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      using result = decltype(A{}(callable_at<I == place>(std::forward<Args>(args))...));
      if constexpr (std::is_void_v<result>)
        A{}(callable_at<I == place>(std::forward<Args>(args))...);
      else
        return without_projection(A{}(callable_at<I == place>(std::forward<Args>(args))...));
    }
    (std::index_sequence_for<Args...>());
  }

 private:
  template <bool IsFunction, class Arg>
  static decltype(auto) callable_at(Arg&& arg) {
    if constexpr (IsFunction)
      return callable(std::forward<Arg>(arg));
    else
      return static_cast<Arg&&>(arg);
  }
};

/// The algorithm knows what to do with them. Argument `Place` is its function.
template <std::size_t Place, class Default>
struct left_to_the_algorithm : function_without_projections<Place> {
  using function_by_default = Default;
};

/// Behind its function, which is argument `Place` of the algorithm, `Default` if it is not given. `Swapped`: it gets an
/// element of the second range first, as merge's order does.
template <std::size_t Place, class Default = void, bool Swapped = false>
struct behind_function {
  using function_by_default = Default;
  static constexpr std::size_t function_place = Place;
  template <class A, std::size_t Policies, class... Args>
  static auto call(Args&&... args) {
    constexpr std::size_t place = Policies + Place,
                          projections = sizeof...(Args) - std::min(sizeof...(Args), place + 1);
    if constexpr (projections == 0) {
      return function_without_projections<Place>::template call<A, Policies>(std::forward<Args>(args)...);
    } else {
      auto all = std::forward_as_tuple(std::forward<Args>(args)...);
      return [&]<std::size_t... I, std::size_t... P>(std::index_sequence<I...>, std::index_sequence<P...>) {
        auto f = project(std::get<place>(std::move(all)), std::get<place + 1 + P>(std::move(all))...);
        using result = decltype(A{}(std::get<I>(std::move(all))..., std::move(f)));
        if constexpr (std::is_void_v<result>)
          A{}(std::get<I>(std::move(all))..., std::move(f));
        else
          return without_projection(A{}(std::get<I>(std::move(all))..., std::move(f)));
      }
      (std::make_index_sequence<place>(),
       std::conditional_t<Swapped, std::index_sequence<1, 0>, std::make_index_sequence<projections>>());
    }
  }
};

/// Behind a function of an element and of another range's, or of a value. A single projection is of the first alone.
template <std::size_t Place, class Default, bool Swapped = false>
struct behind_function_of_two {
  using function_by_default = Default;
  static constexpr std::size_t function_place = Place;
  template <class A, std::size_t Policies, class... Args>
  static auto call(Args&&... args) {
    using behind = behind_function<Place, Default, Swapped>;
    if constexpr (sizeof...(Args) == Policies + Place + 2)
      return behind::template call<A, Policies>(std::forward<Args>(args)..., std::identity());
    else
      return behind::template call<A, Policies>(std::forward<Args>(args)...);
  }
};

/// Behind a value that elements are compared with, argument `Place`. Then it is `Other`, which takes a predicate.
template <class Other, std::size_t Place>
struct behind_value {
  using function_by_default = void;
  static constexpr std::size_t function_place = Place;
  template <class A, std::size_t Policies, class... Args>
  static auto call(Args&&... args) {
    constexpr std::size_t place = Policies + Place;
    if constexpr (sizeof...(Args) <= place + 1) {
      return A{}(std::forward<Args>(args)...);
    } else {
      auto all = std::forward_as_tuple(std::forward<Args>(args)...);
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        auto equals = [value = std::get<place>(std::move(all))](const auto& x) { return x == value; };
        return Other{}(std::get<I>(std::move(all))..., project(std::move(equals), std::get<place + 1>(std::move(all))));
      }
      (std::make_index_sequence<place>());
    }
  }
};

/// Behind a function, or a value that elements are compared with, and what they are replaced by: argument `Place` and
/// the one after it. `Other` takes a predicate.
template <class Other, std::size_t Place, bool IsValue>
struct behind_replacement {
  using function_by_default = void;
  static constexpr std::size_t function_place = Place + 1;
  template <class A, std::size_t Policies, class... Args>
  static auto call(Args&&... args) {
    constexpr std::size_t place = Policies + Place;
    if constexpr (sizeof...(Args) <= place + 2) {
      return function_without_projections < IsValue ? sizeof...(Args)
                                                    : Place > ::template call<A, Policies>(std::forward<Args>(args)...);
    } else {
      auto all = std::forward_as_tuple(std::forward<Args>(args)...);
      auto holds = [&] {
        if constexpr (IsValue)
          return [value = std::get<place>(std::move(all))](const auto& x) { return x == value; };
        else
          return callable_t<std::tuple_element_t<place, decltype(all)>>(callable(std::get<place>(std::move(all))));
      };
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return Other{}(std::get<I>(std::move(all))..., project(holds(), std::get<place + 2>(std::move(all))),
                       std::get<place + 1>(std::move(all)));
      }
      (std::make_index_sequence<place>());
    }
  }
};

// --- functions that get elements of two ranges in either order

/// An element that says from which of two ranges it is. It turns into what stands there.
template <class It, std::size_t Which>
struct element_of {
  It it;
  using reference = decltype(*std::declval<const It&>());
  operator reference() const { return *it; }  // NOLINT(google-explicit-constructor): it is assigned to an output
};

/// An iterator to such elements.
template <class It, std::size_t Which>
class iterator_of {
 public:
  using iterator_category = typename std::iterator_traits<It>::iterator_category;
  using value_type = typename std::iterator_traits<It>::value_type;
  using difference_type = typename std::iterator_traits<It>::difference_type;
  using reference = element_of<It, Which>;
  using pointer = void;

  iterator_of() = default;
  explicit iterator_of(It it) : it_(std::move(it)) {}
  [[nodiscard]] reference operator*() const { return {it_}; }
  [[nodiscard]] reference operator[](difference_type n) const { return {it_ + n}; }
  iterator_of& operator++() {
    ++it_;
    return *this;
  }
  iterator_of operator++(int) { return iterator_of(it_++); }
  iterator_of& operator--() {
    --it_;
    return *this;
  }
  iterator_of operator--(int) { return iterator_of(it_--); }
  iterator_of& operator+=(difference_type n) {
    it_ += n;
    return *this;
  }
  iterator_of& operator-=(difference_type n) {
    it_ -= n;
    return *this;
  }
  [[nodiscard]] friend iterator_of operator+(iterator_of a, difference_type n) { return a += n; }
  [[nodiscard]] friend iterator_of operator+(difference_type n, iterator_of a) { return a += n; }
  [[nodiscard]] friend iterator_of operator-(iterator_of a, difference_type n) { return a -= n; }
  [[nodiscard]] friend difference_type operator-(const iterator_of& a, const iterator_of& b) { return a.it_ - b.it_; }
  [[nodiscard]] friend bool operator==(const iterator_of& a, const iterator_of& b) { return a.it_ == b.it_; }
  [[nodiscard]] friend bool operator<(const iterator_of& a, const iterator_of& b) { return a.it_ < b.it_; }
  [[nodiscard]] friend bool operator>(const iterator_of& a, const iterator_of& b) { return b < a; }
  [[nodiscard]] friend bool operator<=(const iterator_of& a, const iterator_of& b) { return !(b < a); }
  [[nodiscard]] friend bool operator>=(const iterator_of& a, const iterator_of& b) { return !(a < b); }

 private:
  It it_{};
};

/// `f` of what projections make of such elements, each range's its own.
template <class F, class P, class Q>
struct projected_by_range {
  F f;
  P p;
  Q q;
  template <class A, std::size_t I, class B, std::size_t J>
  bool operator()(const element_of<A, I>& x, const element_of<B, J>& y) {
    return static_cast<bool>(std::invoke(f, seen(x), seen(y)));
  }

 private:
  template <class A, std::size_t I>
  decltype(auto) seen(const element_of<A, I>& x) {
    if constexpr (I == 0)
      return std::invoke(p, *x.it);
    else
      return std::invoke(q, *x.it);
  }
};

/// Behind an order of two ranges, whose iterators are the first four arguments, argument `Place`. The algorithm gives
/// no iterator into them.
template <std::size_t Place>
struct behind_order_of_two {
  using function_by_default = std::less<>;
  static constexpr std::size_t function_place = Place;
  template <class A, std::size_t Policies, class... Args>
  static auto call(Args&&... args) {
    constexpr std::size_t place = Policies + Place,
                          projections = sizeof...(Args) - std::min(sizeof...(Args), place + 1);
    if constexpr (projections == 0) {
      return function_without_projections<Place>::template call<A, Policies>(std::forward<Args>(args)...);
    } else if constexpr (projections == 1) {
      return call<A, Policies>(std::forward<Args>(args)..., std::identity());
    } else {
      auto all = std::forward_as_tuple(std::forward<Args>(args)...);
      using function = projected_by_range<std::decay_t<std::tuple_element_t<place, decltype(all)>>,
                                          std::decay_t<std::tuple_element_t<place + 1, decltype(all)>>,
                                          std::decay_t<std::tuple_element_t<place + 2, decltype(all)>>>;
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return A{}(as_of_range<I - Policies>(std::get<I>(std::move(all)))...,
                   function{std::get<place>(std::move(all)), std::get<place + 1>(std::move(all)),
                            std::get<place + 2>(std::move(all))});
      }
      (std::make_index_sequence<place>());
    }
  }

 private:
  /// Policies come as a negative number, which is a large one.
  template <std::size_t I, class Arg>
  static decltype(auto) as_of_range(Arg&& arg) {
    if constexpr (I < 4)
      return iterator_of<std::decay_t<Arg>, I / 2>(std::forward<Arg>(arg));
    else
      return static_cast<Arg&&>(arg);
  }
};

}  // namespace amity::algo
