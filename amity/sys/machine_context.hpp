#pragma once

/// What a signal has interrupted, as the kernel tells its handler.

#include <ucontext.h>

#include <cstdint>

namespace amity::sys {

/// The instruction that comes next when the handler returns.
[[nodiscard]] inline std::uintptr_t interrupted_at(const ucontext_t& u) noexcept {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(u.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(u.uc_mcontext.pc);
#endif
}

[[nodiscard]] inline std::uintptr_t interrupted_stack(const ucontext_t& u) noexcept {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(u.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(u.uc_mcontext.sp);
#endif
}

}  // namespace amity::sys
