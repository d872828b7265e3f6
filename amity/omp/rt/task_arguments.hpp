#pragma once

/// Copying a task's arguments: a few words nearly always.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace amity::omp {

inline void copy_arguments(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes > 128 || bytes % 8 != 0) {
    std::memcpy(to, from, bytes);
    return;
  }
  auto* d = static_cast<char*>(to);
  const auto* s = static_cast<const char*>(from);
  std::size_t i = 0;
  for (; i + 32 <= bytes; i += 32) __builtin_memcpy(d + i, s + i, 32);
  for (; i < bytes; i += 8) __builtin_memcpy(d + i, s + i, 8);
}

}  // namespace amity::omp
