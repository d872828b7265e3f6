#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <mutex>

#include "amity/base/config.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::sys {

/// Which bytes of a stretch of memory are in use, by their offsets. First fit, so what is used again is what was used
/// just now; neighbours that are free become one. Thread-safe.
class arena {
 public:
  static constexpr std::size_t alignment = base::cache_line;

  arena(std::size_t first, std::size_t size) noexcept { free_[first] = size; }

  /// The offset; -1: there is no room.
  [[nodiscard]] std::ptrdiff_t allocate(std::size_t bytes) noexcept {
    std::size_t const need = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    if (need < bytes) return -1;
    std::lock_guard const held(lock_);
    for (auto part = free_.begin(); part != free_.end(); ++part) {
      if (part->second < need) continue;
      auto const [offset, size] = *part;
      free_.erase(part);
      if (size > need) free_[offset + need] = size - need;
      taken_[offset] = need;
      used_ += need;
      return static_cast<std::ptrdiff_t>(offset);
    }
    return -1;
  }

  /// False: nothing that is in use begins there.
  bool release(std::ptrdiff_t at) noexcept {
    std::lock_guard const held(lock_);
    auto const found = taken_.find(static_cast<std::size_t>(at));
    if (found == taken_.end()) return false;
    auto [offset, size] = *found;
    taken_.erase(found);
    used_ -= size;
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && offset + size == next->first) {
      size += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      auto const before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += size;
        return true;
      }
    }
    free_[offset] = size;
    return true;
  }

  [[nodiscard]] std::size_t used() noexcept {
    std::lock_guard const held(lock_);
    return used_;
  }

 private:
  spin_lock lock_;
  std::map<std::size_t, std::size_t> free_, taken_;  ///< offset, size
  std::size_t used_ = 0;
};

}  // namespace amity::sys
