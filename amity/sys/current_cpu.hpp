#pragma once

/// The CPU that the calling OS thread is on, in some ten cycles and without TLS: sched_getcpu() of the C library
/// reads it from the thread's TLS, which here is the fiber's.

#include "amity/base/config.hpp"

namespace amity::sys {

/// Whether current_cpu() can tell; set by probe_current_cpu().
AMITY_API extern bool current_cpu_is_known;

/// Whether Linux finds an idle core for a thread that it starts or wakes. In a virtual machine it doesn't: a core that
/// has gone to sleep looks like one that the host has taken away (`vcpu_is_preempted`). Set by probe_current_cpu().
AMITY_API extern bool kernel_sees_idle_cores;

/// Compares what the processor says with what the kernel says.
void probe_current_cpu() noexcept;

/// -1: it can't be told. It may be another one by the time of the return.
[[nodiscard]] inline int current_cpu() noexcept {
#if defined(__x86_64__)
  if (!current_cpu_is_known) return -1;
  // Linux keeps the CPU's number in the low 12 bits of TSC_AUX, for its own getcpu.
  unsigned aux;
  asm volatile("rdtscp" : "=c"(aux) : : "rax", "rdx");
  return static_cast<int>(aux & 0xfff);
#else
  return -1;
#endif
}

}  // namespace amity::sys
