#pragma once

/// Restartable sequences. glibc registers an area in each thread's control block with the kernel *thread*; once control
/// blocks travel between OS threads, the kernel would write processor numbers into a block that runs elsewhere, and
/// a forked child would die in a write to recycled memory. So the area is given back before a block may travel.

#include <cstdint>

namespace amity::sys {

/// Unregisters the calling OS thread's area, if it lies in the control block at `thread_pointer`. Afterwards
/// sched_getcpu() asks the kernel. Does nothing where glibc did not register one.
void unregister_rseq(std::uintptr_t thread_pointer) noexcept;

}  // namespace amity::sys
