#include "amity/sys/process_barrier.hpp"

#include <linux/membarrier.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "amity/sys/raw_syscall.hpp"

namespace amity::sys {

namespace {

bool command(int what) noexcept { return raw_syscall(SYS_membarrier, what, 0, 0) == 0; }

}  // namespace

void prepare_barriers() noexcept {
  if (__libc_single_threaded) static_cast<void>(command(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED));
}

bool barrier_on_all_threads() noexcept {
  static std::atomic<bool> refused{false};
  if (refused.load(std::memory_order_relaxed)) return false;
  if (command(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return true;
  // The process has to register before its first use.
  if (command(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && command(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return true;
  refused.store(true, std::memory_order_relaxed);
  return false;
}

bool await_all_stores() noexcept {
  if (barrier_on_all_threads()) return true;
  struct timespec moment {
    0, 50'000
  };
  raw_syscall(SYS_nanosleep, reinterpret_cast<long>(&moment), 0);
  return false;
}

}  // namespace amity::sys
