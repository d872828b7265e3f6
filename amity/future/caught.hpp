#pragma once

/// What a call threw, held by nobody but the thread that asks.

#include <exception>
#include <utility>

#include "amity/base/config.hpp"

namespace amity::detail {

/// Ends the program with a message: a thread was to end in the midst of a task.
[[noreturn]] AMITY_API void refuse_thread_exit() noexcept;

/// What a handler for everything has caught. pthread_exit and pthread_cancel unwind the stack as well, which can be
/// neither kept nor held up: a handler that does not pass it on ends the program, and so it says why.
[[nodiscard, gnu::cold, gnu::noinline]] inline std::exception_ptr caught_here() noexcept {
  std::exception_ptr error = std::current_exception();
  if (error == nullptr) refuse_thread_exit();
  return error;
}

/// Calls `f`; what it threw, null if it returned. Its handler has ended by then: once the error is handed to another
/// thread, this one refers to it no more, and the reader destroys it where he reads it. Otherwise a handler that ends
/// after the result was published destroys what the reader has just looked at; libstdc++ counts the references, but in
/// code that ThreadSanitizer doesn't see, so that it reports a race in every program that does so.
template <class F>
[[nodiscard]] std::exception_ptr caught(F&& f) noexcept {
  try {
    std::forward<F>(f)();
  } catch (...) {
    return caught_here();
  }
  return nullptr;
}

}  // namespace amity::detail
