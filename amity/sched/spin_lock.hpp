#pragma once

/// For a few instructions at a time, by kernel threads only: a lock that needs no start-up, survives fork and knows no
/// fiber.

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "amity/base/atomic_shim.hpp"

namespace amity::sched {

class spin_lock {
 public:
  void lock() noexcept {
    for (int turns = 0; held_.exchange(true, std::memory_order_acquire); ++turns) {  // pairs with unlock
      if (turns < 100)
        base::cpu_relax();
      else
        syscall(SYS_sched_yield);  // not by its name, which may stand for a switch of fibers (program_yield.cpp)
    }
  }
  [[nodiscard]] bool try_lock() noexcept { return !held_.exchange(true, std::memory_order_acquire); }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace amity::sched
