#pragma once

/// Switching between stacks: callee-saved registers, the floating-point control words and, on request, the thread
/// pointer (FS on x86-64, TPIDR_EL0 on aarch64), which makes glibc's TLS, errno and pthread_self follow the stack.
///
///     void* sp = amity::sys::make_context(stack_top, entry, argument);
///     void* mine;
///     amity_switch(&mine, sp);       // entry(argument) runs; a switch back to `mine` returns here

#include <cstdint>

extern "C" {
/// Saves the caller's context in `*save_sp` and resumes the one saved at `to_sp`; the thread pointer stays.
void amity_switch(void** save_sp, void* to_sp) noexcept;
/// The same, and sets the thread pointer with an unprivileged instruction.
void amity_switch_tp(void** save_sp, void* to_sp, std::uintptr_t thread_pointer) noexcept;
/// The same by system call, for x86-64 kernels without FSGSBASE.
void amity_switch_tp_syscall(void** save_sp, void* to_sp, std::uintptr_t thread_pointer) noexcept;
}

namespace amity::sys {

/// Prepares a stack whose first resume calls `entry(argument)`, which must not return.
/// `stack_top` is the end of the stack's memory. Inherits the caller's floating-point control words.
[[nodiscard]] void* make_context(void* stack_top, void (*entry)(void*), void* argument) noexcept;

}  // namespace amity::sys
