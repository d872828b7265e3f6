#pragma once

/// What a call threw, held by nobody but who asks.

#include <exception>
#include <utility>

namespace amity::detail {

/// Calls `f`; what it threw, null if it returned. Its handler has ended by then: once the error is handed to another
/// thread, this one refers to it no more, and the reader destroys it where he reads it. Otherwise a handler that ends
/// after the result was published destroys what the reader has just looked at; libstdc++ counts the references, but in
/// code that ThreadSanitizer doesn't see, so that it reports a race in every program that does so.
template <class F>
[[nodiscard]] std::exception_ptr caught(F&& f) noexcept {
  try {
    std::forward<F>(f)();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace amity::detail
