#pragma once

/// How an exception gets from the library to a program. The library has a C++ runtime of its own, hidden (decision
/// 0004), and the program's unwinder knows nothing of it: what the library threw through the program's functions would
/// end the process. So the library hands over what it would throw, and the caller's header throws it.
///
///     // in the header, compiled by the program
///     AMITY_API int count(int n, std::exception_ptr& failure) noexcept;
///     inline int count(int n) { return thrown_here([&](auto& failure) { return count(n, failure); }); }
///     // in the library
///     int count(int n, std::exception_ptr& failure) noexcept { return caught(failure, [&] { return checked(n); }); }

#include <exception>
#include <type_traits>
#include <utility>

#include "amity/base/language.hpp"

namespace amity::detail {

/// In the library: what `f` returns; if it throws, `failure` is that, and the result is made by default.
template <class F>
auto caught(std::exception_ptr& failure, F&& f) noexcept -> std::invoke_result_t<F> {
  try {
    return std::forward<F>(f)();
  } catch (...) {
    failure = std::current_exception();
  }
  if constexpr (!std::is_void_v<std::invoke_result_t<F>>) return {};
}

/// In the program: what `f(failure)` returns, or throws `failure`.
template <class F>
auto thrown_here(F&& f) -> std::invoke_result_t<F, std::exception_ptr&> {
  std::exception_ptr failure;
  if constexpr (std::is_void_v<std::invoke_result_t<F, std::exception_ptr&>>) {
    std::forward<F>(f)(failure);
    if (failure != nullptr) std::rethrow_exception(std::move(failure));
  } else {
    auto result = std::forward<F>(f)(failure);
    if (failure != nullptr) std::rethrow_exception(std::move(failure));
    return result;
  }
}

}  // namespace amity::detail
