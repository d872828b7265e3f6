#pragma once

/// omp_depend_t as routines get it: an array of them, of a compiler that does not say which it is.
///
/// gcc's has two words, an address and a kind. clang's is a pointer into an array that the object's maker allocated:
/// the entry before holds the number of entries.

#include <cstddef>

namespace amity::omp {

/// Makes a task with these dependences; none: of a task of its own all the same. It calls `fn` with a copy of `bytes`
/// of arguments, at the latest when the caller waits for its children.
void run_after_depend_objects(std::size_t count, void** objects, void (*fn)(void*), void* arguments,
                              std::size_t bytes) noexcept;

// --- for tests

/// Whether the `count` objects are clang's. An object is looked at as far as it may be either's, and nothing is read
/// that is not there.
[[nodiscard]] bool are_clangs(std::size_t count, void** objects) noexcept;

}  // namespace amity::omp
