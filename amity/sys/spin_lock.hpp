#pragma once

/// For a few instructions at a time, by OS threads only: a lock that needs no start-up, survives fork and knows no
/// fiber.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/base/processor.hpp"

namespace amity::sys {

/// Gives the core away once, for a lock's holder that may have none.
AMITY_API void yield_to_holder() noexcept;
/// How often that was done by anybody, so far; wraps. A thread that waits so long for a lock of the runtime's has a
/// core again and again for a moment only, as user code has that polls; but the lock's holder will see to it.
[[nodiscard]] std::uint32_t yields_to_holders() noexcept;

class spin_lock {
 public:
  void lock() noexcept {
    for (int turns = 0; held_.exchange(true, std::memory_order_acquire); ++turns) {  // pairs with unlock
      if (turns < 100)
        base::cpu_relax();
      else
        yield_to_holder();
    }
  }
  [[nodiscard]] bool try_lock() noexcept { return !held_.exchange(true, std::memory_order_acquire); }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace amity::sys
