#include "amity/sys/rseq.hpp"

#include <sys/rseq.h>

#include "amity/sys/raw_syscall.hpp"

namespace amity::sys {

void unregister_rseq(std::uintptr_t thread_pointer) noexcept {
  if (__rseq_size == 0) return;           // glibc was told not to register (GLIBC_TUNABLES) or the kernel has none
  constexpr long registered_length = 32;  // what glibc 2.35 to 2.39 passes; later ones pass the kernel's own size
  auto const area = static_cast<long>(thread_pointer + static_cast<std::uintptr_t>(__rseq_offset));
  long const result = raw_syscall(SYS_rseq, area, registered_length, RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
  if (result != 0 && __rseq_size > 20)
    raw_syscall(SYS_rseq, area, static_cast<long>(__rseq_size), RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
}

}  // namespace amity::sys
