#pragma once

/// The thread pointer register: where glibc finds the running thread's TLS, errno and identity.
///
/// A fiber keeps its thread pointer wherever it runs. How it gets there depends on processor, kernel and sandbox, so it
/// is tried once, at start.

#include <cstdint>

namespace amity::sys {

/// How a context switch may install another thread's pointer.
enum class thread_pointer_mode {
  instruction,  ///< wrfsbase or msr tpidr_el0: a few cycles
  system_call,  ///< arch_prctl(ARCH_SET_FS): some 80 ns
  fixed,        ///< not at all: each fiber stays on its own OS thread
};

/// The calling OS thread's present one, read anew at each call. The compiler's builtin is a constant to it: what
/// was read before an install may be read once more after it.
inline std::uintptr_t thread_pointer() noexcept {
  std::uintptr_t value;
#if defined(__x86_64__)  // the first word of glibc's control block is its own address
  asm volatile("mov %%fs:0, %0" : "=r"(value)::"memory");
#elif defined(__aarch64__)
  asm volatile("mrs %0, tpidr_el0" : "=r"(value)::"memory");
#else
#error "Amity runs on x86-64 and aarch64"
#endif
  return value;
}

/// Tries the modes, best first: sets another thread pointer, reads it back, enters the kernel and reads it back again.
/// AMITY_IDENTITY=instruction|system_call|fixed asks for one of them. Call once, before the first switch.
[[nodiscard]] thread_pointer_mode probe_thread_pointer() noexcept;

/// Makes the calling OS thread use another thread's pointer. Nothing that uses TLS may come before the next switch.
void install_thread_pointer(thread_pointer_mode mode, std::uintptr_t value) noexcept;

/// "instruction", "system_call" or "fixed".
[[nodiscard]] const char* name_of(thread_pointer_mode mode) noexcept;

}  // namespace amity::sys
