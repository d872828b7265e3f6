#pragma once

/// System calls without libc: no errno, no TLS, no cancellation point. The scheduling loop runs while the thread's own
/// TLS block may be in use by its fiber on another OS thread, so it may only enter the kernel this way.
///
///     long result = amity::sys::raw_syscall(SYS_sched_yield);   // -errno on failure

#include <sys/syscall.h>

namespace amity::sys {

/// Returns what the kernel returns: a value >= 0, or -errno.
inline long raw_syscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) noexcept {
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
#error "Amity runs on x86-64 and aarch64"
#endif
}

}  // namespace amity::sys
