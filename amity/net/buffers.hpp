#pragma once

/// Memory for messages. What is to be sent may be some that processes of this node read in place (take_sendable). All
/// else is malloc's, but large blocks are kept for the next message, 64 MiB at most: the C library gives memory of some
/// hundred KiB back to the system whenever it is freed at the end of the heap, and the next message would find every
/// page missing (docs/decisions/0019).
///
/// Memory from malloc may be given back here, too. None of this is freed by free().

#include <cstddef>

#include "amity/base/config.hpp"

namespace amity::net {

/// Null: there is no memory. Never null for size 0.
[[nodiscard]] AMITY_API std::byte* take_buffer(std::size_t size) noexcept;
/// The same for bytes that will be sent, perhaps to a process of this node, which then need not copy them.
[[nodiscard]] AMITY_API std::byte* take_sendable(std::size_t size) noexcept;
/// Null is allowed.
AMITY_API void give_buffer(std::byte* buffer) noexcept;

}  // namespace amity::net
