#pragma once

/// Mutual exclusion by name. The lock lives in the word that the compiler sets aside for each name, so names exclude
/// one another only if they are the same, over all teams.

#include "amity/sync/mutex.hpp"

namespace amity::omp {

/// gcc sets aside a pointer, clang 32 bytes; both zero at first, which is an open mutex.
[[nodiscard]] inline sync::mutex& critical_of(void* name) noexcept {
  static_assert(sizeof(sync::mutex) <= sizeof(void*));
  return *static_cast<sync::mutex*>(name);
}

[[nodiscard]] sync::mutex& unnamed_critical() noexcept;

/// For atomic operations on types without an instruction.
[[nodiscard]] sync::mutex& atomic_fallback() noexcept;

}  // namespace amity::omp
