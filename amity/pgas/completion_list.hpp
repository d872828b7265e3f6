#pragma once

/// A list of completions, in the order in which they were asked for: `a | b` joins two. Each is a wish, of a type of
/// completion.hpp's, or of upcxx/completion.hpp's.

#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/base/language.hpp"

namespace amity::pgas::detail {

template <class... Each>
struct completions {
  std::tuple<Each...> each;
};
template <class X>
struct is_completions : std::false_type {};
template <class... Each>
struct is_completions<completions<Each...>> : std::true_type {};
template <class X>
concept some_completions = is_completions<std::remove_cvref_t<X>>::value;

template <class... A, class... B>
[[nodiscard]] completions<A..., B...> operator|(completions<A...> a, completions<B...> b) {
  return {std::tuple_cat(std::move(a.each), std::move(b.each))};
}

}  // namespace amity::pgas::detail
