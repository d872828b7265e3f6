#pragma once

/// Pages that threads will use soon, on their way to the pager.
///
///     wishes w;
///     w.add({from, bytes, access::read});   // any thread
///     while (w.take(next)) ...              // the pager
///
/// A ring. Threads add one at a time, under a lock; the pager takes without one, as whoever holds it may have lost its
/// core.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "amity/dsm/protocol.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::dsm {

struct wish {
  std::uintptr_t from = 0;
  std::size_t bytes = 0;
  access how = access::read;
};

class wishes {
 public:
  static constexpr std::uint32_t room = 64;

  /// False: there are too many; nothing has happened.
  bool add(const wish& w) noexcept {
    std::lock_guard const one_at_a_time(adding_);
    std::uint32_t const at = added_.load(std::memory_order_relaxed);
    if (at - taken_.load(std::memory_order_acquire) == room) return false;  // pairs with take: the place is free
    all_[at % room] = w;
    added_.store(at + 1, std::memory_order_release);  // pairs with take
    return true;
  }

  /// By the pager.
  [[nodiscard]] bool is_empty() const noexcept {
    return taken_.load(std::memory_order_relaxed) == added_.load(std::memory_order_relaxed);
  }

  [[nodiscard]] bool take(wish& w) noexcept {
    std::uint32_t const at = taken_.load(std::memory_order_relaxed);
    if (at == added_.load(std::memory_order_acquire)) return false;  // pairs with add
    w = all_[at % room];
    taken_.store(at + 1, std::memory_order_release);  // pairs with add
    return true;
  }

 private:
  sys::spin_lock adding_;
  wish all_[room];
  std::atomic<std::uint32_t> added_{0}, taken_{0};
};

}  // namespace amity::dsm
