// Guards a bucket of waiters for some tens of instructions. Nobody parks or runs user code while holding it.
#pragma once

#include <sched.h>

#include <atomic>

#include "amity/base/atomic_shim.hpp"

namespace amity::sync {

class spin_lock {
 public:
  void lock() noexcept {
    for (int turns = 0; held_.exchange(true, std::memory_order_acquire); ++turns) {  // pairs with unlock
      if (turns < patience)
        base::cpu_relax();
      else
        sched_yield();  // the holder lost its core
    }
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }  // pairs with lock

 private:
  static constexpr int patience = 100;
  std::atomic<bool> held_{false};
};

}  // namespace amity::sync
