#pragma once

/// malloc for a program whose threads are in several processes: each process hands out blocks of its own heap, and any
/// process may free any block, which then belongs to the one that freed it.
///
/// Blocks have sizes of four classes to each doubling. Each has 16 bytes before it that say which. Free blocks of a
/// class are chained through their own memory. Several *stripes* of chains keep threads apart; a thread uses one of
/// them. A block of a page or more has whole pages, and what says its class is elsewhere: two fields that two threads
/// write to have no page in common. Of a large one, 128 KiB or more, they go back to the system when it is free.

#include <cstddef>
#include <cstdint>

namespace amity::nodes::heap {

/// From here on blocks come from [from, to), which is zero; the heaps of other processes lie before and behind it, and
/// are as long. Before the first block is asked for. `forget` is told of whole pages whose contents are not needed any
/// more, and says whether they are zero now.
using forget_function = bool (*)(std::uintptr_t from, std::size_t bytes) noexcept;
void begin(std::uintptr_t from, std::uintptr_t to, forget_function forget) noexcept;

/// Null, with errno: there is none. `alignment`: a power of two.
[[nodiscard]] void* take(std::size_t bytes, std::size_t alignment = 16) noexcept;
[[nodiscard]] void* take_zeroed(std::size_t bytes) noexcept;
/// The same, of whole pages; and whether `block` is one of those and has no more than `bytes`.
[[nodiscard]] void* take_zeroed_pages(std::size_t bytes) noexcept;
[[nodiscard]] bool begins_with_pages(const void* block, std::size_t bytes) noexcept;
void give_back(void* block) noexcept;
/// Bytes that the block has room for; at least what was asked for.
[[nodiscard]] std::size_t size_of(const void* block) noexcept;

/// From here on, at a fork nobody else is within, so that the child finds all whole.
void watch_forks() noexcept;

}  // namespace amity::nodes::heap
