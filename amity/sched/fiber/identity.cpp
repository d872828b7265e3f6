#include "amity/sched/fiber/identity.hpp"

#include <atomic>

namespace amity::sched {
namespace {

/// Relaxed: a fiber is made after it was chosen. A thread that is none yet (it asks the time, before it first waits)
/// may see either value.
std::atomic<sys::thread_pointer_mode> mode{sys::thread_pointer_mode::fixed};

}  // namespace

sys::thread_pointer_mode identity_mode() noexcept { return mode.load(std::memory_order_relaxed); }

void choose_identity_mode() noexcept { mode.store(sys::probe_thread_pointer(), std::memory_order_relaxed); }

}  // namespace amity::sched
