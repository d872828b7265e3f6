#include "amity/sched/deque.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "amity/sys/raw_syscall.hpp"

namespace amity::sched {

bool barrier_on_all_threads() noexcept {
  static std::atomic<bool> refused{false};
  if (refused.load(std::memory_order_relaxed)) return false;
  auto command = [](int what) { return sys::raw_syscall(SYS_membarrier, what, 0, 0) == 0; };
  if (command(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return true;
  // The process has to register before its first use.
  if (command(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && command(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return true;
  refused.store(true, std::memory_order_relaxed);
  return false;
}

}  // namespace amity::sched
