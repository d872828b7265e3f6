#pragma once

/// Sizes of boxes (dim3.hpp). The numbers are a user's or another process's, so any of them may be any number: none is
/// added to or multiplied by another before it is known that the result can be told.

#include <cstddef>
#include <optional>

#include "amity/accel/dim3.hpp"

namespace amity::accel::detail {

/// Where a box ends that has the sizes of `region`. Nothing: beyond what an address can reach.
[[nodiscard]] std::optional<std::size_t> end_of(const box& b, const std::size_t (&region)[3]) noexcept;
/// How many bytes a region has. Nothing: more than an address can reach.
[[nodiscard]] std::optional<std::size_t> bytes_of(const std::size_t (&region)[3]) noexcept;
/// The box with its pitches made what they mean, within memory of `bytes`. Throws std::invalid_argument,
/// std::out_of_range.
[[nodiscard]] box checked_box(const char* what, box b, const std::size_t (&region)[3], std::size_t bytes);

}  // namespace amity::accel::detail
