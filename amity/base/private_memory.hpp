#pragma once

/// The runtime's own memory: what only this process looks at, apart from what the program's threads share. The two are
/// the same, malloc's, unless a library that shares the program's memory with other processes says otherwise.
///
///     void* const memory = base::take_private(sizeof(construct));
///     if (memory == nullptr) base::fatal("out of memory for a task reduction");
///     base::give_back(memory);
///
/// What a program's pointer may lead to is no private memory, such as the arguments of a task.

#include <cstddef>

#include "amity/base/config.hpp"

namespace amity::base {

/// Where it comes from. All three may be called by any thread, in the scheduling loop, too, where there is no identity.
struct memory_source {
  /// `alignment`: a power of two. Null: there is none.
  void* (*take)(std::size_t bytes, std::size_t alignment) noexcept;
  /// False: it is not from here.
  bool (*give_back)(void* memory) noexcept;
};

/// From now on private memory comes from `s`, for as long as the process lives. Memory that was taken before goes back
/// to where it came from. To be called while the process has one thread.
AMITY_API void private_memory_is_from(const memory_source& s) noexcept;

/// Null: there is none. Not zeroed.
[[nodiscard]] AMITY_API void* take_private(std::size_t bytes,
                                           std::size_t alignment = alignof(std::max_align_t)) noexcept;
/// The same, zeroed.
[[nodiscard]] AMITY_API void* take_private_zeroed(std::size_t bytes) noexcept;

/// What take_private gave, or malloc and its like. Null: nothing happens.
AMITY_API void give_back(void* memory) noexcept;

}  // namespace amity::base
