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
  fixed,        ///< not at all: each fiber stays on its own kernel thread
};

inline std::uintptr_t thread_pointer() noexcept { return reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer()); }

/// Tries the modes, best first: sets another thread pointer, reads it back, enters the kernel and reads it back again.
/// AMITY_IDENTITY=instruction|system_call|fixed asks for one of them. Call once, before the first switch.
[[nodiscard]] thread_pointer_mode probe_thread_pointer() noexcept;

/// Makes the calling kernel thread use another thread's pointer. Nothing that uses TLS may come before the next switch.
void install_thread_pointer(thread_pointer_mode mode, std::uintptr_t value) noexcept;

/// "instruction", "system_call" or "fixed".
[[nodiscard]] const char* name_of(thread_pointer_mode mode) noexcept;

}  // namespace amity::sys
