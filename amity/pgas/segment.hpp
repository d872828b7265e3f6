#pragma once

/// The part of a process's memory that others may read and write. It is anonymous: nobody finds it by a name. Processes
/// of one node map one another's, and go there by plain loads and stores; others send messages.
///
/// AMITY_SEGMENT says how large it is for each process (256M). It takes memory as it is used.

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

#include "amity/base/config.hpp"
#include "amity/base/language.hpp"

namespace amity {

/// No room is left in the shared memory of a process. what() names the rank, how much was asked for, and how much it
/// has.
struct bad_shared_alloc : std::bad_alloc {
  /// `text`: what() says it.
  explicit bad_shared_alloc(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

namespace pgas::detail {

/// Bytes of this process's segment, aligned to 64; null: there is no room. Thread-safe.
[[nodiscard]] AMITY_API void* allocate_here(std::size_t bytes) noexcept;
/// False: nothing was allocated there.
AMITY_API bool free_here(void* address) noexcept;
/// All of these bytes are in this process's segment.
[[nodiscard]] AMITY_API bool is_in_segment(const void* address, std::size_t bytes) noexcept;

/// Of a part of the segment that is kept for messages of the runtime's own. Null: there is no room at the moment.
[[nodiscard]] AMITY_API void* allocate_staging(std::size_t bytes) noexcept;
/// The same back.
AMITY_API void free_staging(void* address) noexcept;

struct segment_use {
  std::size_t size = 0, used = 0;
};
[[nodiscard]] AMITY_API segment_use use_of_segment() noexcept;

/// Where `bytes` at an address of the segment of `rank` are in this process; null: they can't be reached by loads and
/// stores, or are not all of that segment. Blocks the fiber at the first call for a rank.
[[nodiscard]] AMITY_API void* reach(int rank, const void* address, std::size_t bytes = 0) noexcept;

/// Its memory can be reached so. Blocks the fiber at the first call for a rank.
[[nodiscard]] AMITY_API bool is_in_reach(int rank) noexcept;

/// The words of bad_shared_alloc.
[[nodiscard]] std::string words_for_full_segment(int rank, std::size_t bytes, const segment_use& use);

}  // namespace pgas::detail
}  // namespace amity
