#pragma once

/// For functions of headers that are no templates by nature, whose bodies would make the compiler busy in every file
/// that includes them. As a template of nothing such a function costs what its declaration does, until it is called:
///
///     template <class L = void>
///     void unlock() { rpc(later<L>(home_), give_lock, number_).get(); }      // lock.unlock() as ever
///
/// Without `later` the compiler would know all of the call where it reads the template, and so, for a function that
/// gives `auto`, compile that one at once.

#include "amity/base/language.hpp"

namespace amity::detail {

/// `x`; what it is the compiler learns when the template that `L` belongs to is used.
template <class L, class T>
[[nodiscard]] constexpr T& later(T& x) noexcept {
  return x;
}

}  // namespace amity::detail
