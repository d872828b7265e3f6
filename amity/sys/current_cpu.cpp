#include "amity/sys/current_cpu.hpp"

#include <sys/syscall.h>

#include "amity/sys/raw_syscall.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace amity::sys {

bool current_cpu_is_known = false;
bool kernel_sees_idle_cores = true;

void probe_current_cpu() noexcept {
#if defined(__x86_64__)
  constexpr unsigned leaf = 0x80000001, rdtscp = 1u << 27;
  unsigned a, b, c, d;
  constexpr unsigned hypervisor = 1u << 31;  // of what leaf 1 leaves in ecx: never set by a processor itself
  kernel_sees_idle_cores = !__get_cpuid(1, &a, &b, &c, &d) || (c & hypervisor) == 0;
  if (!__get_cpuid(leaf, &a, &b, &c, &d) || (d & rdtscp) == 0) return;
  // The thread may be moved between the two readings, but hardly at each try.
  constexpr int tries = 4;
  for (int i = 0; i < tries; ++i) {
    unsigned cpu = ~0u;
    if (raw_syscall(SYS_getcpu, reinterpret_cast<long>(&cpu)) != 0) return;
    current_cpu_is_known = true;
    if (current_cpu() == static_cast<int>(cpu)) return;
    current_cpu_is_known = false;
  }
#endif
}

}  // namespace amity::sys
