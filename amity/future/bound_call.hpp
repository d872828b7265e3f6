#pragma once

/// A function with its arguments, for one call, made where it is to lie: each is copied or moved once, into its place,
/// and passed on as an rvalue. A lambda that captures them would be moved once more.
///
///     closure_of<F, Args...>  of f and args, from  (std::forward<F>(f), std::forward<Args>(args)...)

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include "amity/base/language.hpp"

namespace amity::detail {

template <std::size_t Index, class T>
struct bound_argument {
  T value;
};

template <class Indices, class F, class... Args>
class bound_arguments;

template <std::size_t... Index, class F, class... Args>
class bound_arguments<std::index_sequence<Index...>, F, Args...> : bound_argument<Index, Args>... {
 public:
  template <class G, class... As>
  explicit bound_arguments(G&& f, As&&... args) noexcept(std::is_nothrow_constructible_v<F, G> &&
                                                         (std::is_nothrow_constructible_v<Args, As> && ...))
      : bound_argument<Index, Args>{Args(std::forward<As>(args))}..., f_(std::forward<G>(f)) {}

  decltype(auto) operator()() {
    return std::invoke(std::move(f_), std::move(static_cast<bound_argument<Index, Args>&>(*this).value)...);
  }

 private:
  F f_;
};

template <class F, class... Args>
using bound_call = bound_arguments<std::index_sequence_for<Args...>, F, Args...>;

/// What a task keeps of `f(args...)`.
template <class F, class... Args>
using closure_of =
    typename std::conditional_t<sizeof...(Args) == 0, std::decay<F>,
                                std::type_identity<bound_call<std::decay_t<F>, std::decay_t<Args>...>>>::type;

/// The same, to be moved about.
template <class F, class... Args>
[[nodiscard]] closure_of<F, Args...> bind_call(F&& f, Args&&... args) {
  return closure_of<F, Args...>(std::forward<F>(f), std::forward<Args>(args)...);
}

}  // namespace amity::detail
