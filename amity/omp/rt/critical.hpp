#pragma once

/// Mutual exclusion by name. The lock lives in the word that the compiler sets aside for each name, so names exclude
/// one another only if they are the same, over all teams.

#include "amity/base/config.hpp"
#include "amity/sync/mutex.hpp"

namespace amity::omp {

/// gcc sets aside a pointer, clang 32 bytes; both zero at first, which is an open mutex.
[[nodiscard]] inline sync::mutex& critical_of(void* name) noexcept {
  static_assert(sizeof(sync::mutex) <= sizeof(void*));
  return *static_cast<sync::mutex*>(name);
}

/// A mutex without company on its cache line. Inline and constant-initialised: its address is known to the code that
/// locks it, which is then as short as gcc's own entry.
struct alignas(base::cache_line) lonely_mutex {
  sync::mutex mutex;
};
inline constinit lonely_mutex unnamed_critical_mutex, atomic_fallback_mutex;

[[nodiscard]] inline sync::mutex& unnamed_critical() noexcept { return unnamed_critical_mutex.mutex; }

/// For atomic operations on types without an instruction.
[[nodiscard]] inline sync::mutex& atomic_fallback() noexcept { return atomic_fallback_mutex.mutex; }

}  // namespace amity::omp
