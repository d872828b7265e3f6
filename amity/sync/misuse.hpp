#pragma once

/// The end of a program that gives a latch, a semaphore or a barrier a number which it can't go on with.

#include <cstddef>

#include "amity/base/config.hpp"

namespace amity::sync::detail {

/// "latch::count_down(3): allowed are 0 to 2". Prints that and aborts.
AMITY_API [[noreturn, gnu::cold]] void misused(const char* call, std::ptrdiff_t value, std::ptrdiff_t least,
                                               std::ptrdiff_t most) noexcept;

/// The caller's number must be from `least` to `most`.
constexpr void expect_within(const char* call, std::ptrdiff_t value, std::ptrdiff_t least,
                             std::ptrdiff_t most) noexcept {
  if (value < least || value > most) [[unlikely]]
    misused(call, value, least, most);
}

}  // namespace amity::sync::detail
