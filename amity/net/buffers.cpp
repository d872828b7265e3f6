#include "amity/net/buffers.hpp"

#include <malloc.h>
#include <stdlib.h>

#include <algorithm>
#include <mutex>

#include "amity/net/internal/loans.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::net {
namespace {

constexpr std::size_t least_kept = std::size_t{32} << 10, most_kept = std::size_t{16} << 20;
constexpr std::size_t most_in_all = std::size_t{64} << 20;
constexpr int most_blocks = 32;

/// Blocks that nobody uses, the longest unused one first.
struct kept_blocks {
  struct block {
    std::byte* at;
    std::size_t size;
  };
  sys::spin_lock lock;
  block all[most_blocks];
  int count = 0;
  std::size_t bytes = 0;

  std::byte* remove(int i) noexcept {
    std::byte* const at = all[i].at;
    bytes -= all[i].size;
    std::copy(all + i + 1, all + count--, all + i);
    return at;
  }
};
kept_blocks& kept() noexcept {
  static auto* const one = new kept_blocks;
  return *one;
}

/// The last one given back whose size fits, since it is the likeliest to be in a cache.
std::byte* take_kept(std::size_t size) noexcept {
  kept_blocks& k = kept();
  std::lock_guard const held(k.lock);
  for (int i = k.count - 1; i >= 0; --i)
    if (k.all[i].size >= size && k.all[i].size / 2 <= size) return k.remove(i);
  return nullptr;
}

}  // namespace

std::byte* take_buffer(std::size_t size) noexcept {
  if (size >= least_kept && size <= most_kept)
    if (std::byte* const b = take_kept(size)) return b;
  return static_cast<std::byte*>(malloc(std::max<std::size_t>(size, 1)));
}

std::byte* take_sendable(std::size_t size) noexcept {
  std::byte* const b = take_lendable(size);
  return b != nullptr ? b : take_buffer(size);
}

void give_buffer(std::byte* buffer) noexcept {
  if (give_lendable(buffer)) return;
  std::size_t const size = buffer != nullptr ? malloc_usable_size(buffer) : 0;
  if (size < least_kept || size > most_kept) return free(buffer);
  kept_blocks& k = kept();
  std::byte* gone[most_blocks];
  int freed = 0;
  {
    std::lock_guard const held(k.lock);
    while (k.count == most_blocks || (k.count > 0 && k.bytes + size > most_in_all)) gone[freed++] = k.remove(0);
    k.all[k.count++] = {buffer, size};
    k.bytes += size;
  }
  while (freed > 0) free(gone[--freed]);
}

}  // namespace amity::net
