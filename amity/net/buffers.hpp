#pragma once

/// Memory for messages: that of malloc, but large blocks are kept for the next message, 64 MiB at most. The C library
/// gives memory of some hundred KiB back to the system whenever it is freed at the end of the heap, and the next
/// message would find every page missing (docs/decisions/0019).
///
/// Memory from malloc may be given back here, and a buffer may be freed by free().

#include <cstddef>

#include "amity/base/config.hpp"

namespace amity::net {

/// Null: there is no memory. Never null for size 0.
[[nodiscard]] AMITY_API std::byte* take_buffer(std::size_t size) noexcept;
/// Null is allowed.
AMITY_API void give_buffer(std::byte* buffer) noexcept;

}  // namespace amity::net
