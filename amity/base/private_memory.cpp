#include "amity/base/private_memory.hpp"

#include <stdlib.h>
#include <string.h>

#include <atomic>

namespace amity::base {
namespace {

// Set while there is one thread. Relaxed: threads made later have seen it.
std::atomic<const memory_source*> source{nullptr};

}  // namespace

void private_memory_is_from(const memory_source& s) noexcept { source.store(&s, std::memory_order_relaxed); }

void* take_private(std::size_t bytes, std::size_t alignment) noexcept {
  if (const memory_source* const s = source.load(std::memory_order_relaxed); s != nullptr) [[unlikely]]
    return s->take(bytes, alignment);
  if (alignment <= alignof(std::max_align_t)) return malloc(bytes);
  return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* take_private_zeroed(std::size_t bytes) noexcept {
  if (source.load(std::memory_order_relaxed) == nullptr) [[likely]]
    return calloc(1, bytes);
  void* const memory = take_private(bytes);
  return memory == nullptr ? nullptr : memset(memory, 0, bytes);
}

void give_back(void* memory) noexcept {
  const memory_source* const s = source.load(std::memory_order_relaxed);
  if (s != nullptr && memory != nullptr && s->give_back(memory)) return;
  free(memory);
}

}  // namespace amity::base
