#include "amity/sys/spin_lock.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace amity::sys {

namespace {

/// Relaxed: the monitor only asks whether it has changed.
std::atomic<std::uint32_t> yields{0};

}  // namespace

void yield_to_holder() noexcept {
  yields.fetch_add(1, std::memory_order_relaxed);
  syscall(SYS_sched_yield);  // not by its name, which may stand for a switch of fibers (sched/host/program_yield.cpp)
}

std::uint32_t yields_to_holders() noexcept { return yields.load(std::memory_order_relaxed); }

}  // namespace amity::sys
