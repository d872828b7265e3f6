#pragma once

/// Memory for stacks: a guard below, the top coloured.
///
///     amity::sys::stack s = amity::sys::map_stack(256 * 1024);
///     if (!s) ...                     // out of address space or of map entries
///     amity::sys::unmap_stack(s);

#include <cstddef>
#include <cstdint>

namespace amity::sys {

struct stack {
  std::byte* base = nullptr;  ///< lowest usable byte, just above the guard
  std::size_t size = 0;       ///< usable bytes
  std::byte* mapping = nullptr;
  std::size_t mapping_size = 0;
  std::uintptr_t valgrind_number = 0;  ///< what valgrind calls it; 0: it does not run under valgrind

  explicit operator bool() const noexcept { return base != nullptr; }
  [[nodiscard]] std::byte* top() const noexcept { return base + size; }
};

inline constexpr std::size_t guard_size = 64 * 1024;

/// Maps at least `bytes` of stack above a guard of `guard_size`. The tops of successive stacks are offset by multiples
/// of a cache line: page-aligned ones would all compete for the same cache sets. Executable where a loaded object asks
/// for such stacks (PT_GNU_STACK). Returns an empty stack if the kernel refuses.
[[nodiscard]] stack map_stack(std::size_t bytes) noexcept;

void unmap_stack(const stack& s) noexcept;

/// Remembers a stack so that the overflow handler can tell its guard; see install_stack_overflow_handler().
void register_guard(const stack& s) noexcept;
void unregister_guard(const stack& s) noexcept;

/// Gives the calling OS thread the alternate signal stack that the handler needs, unless it has one; costs 68 KiB
/// of address space.
void arm_stack_overflow_handler() noexcept;

/// Takes it away again, where the calling OS thread still has that one.
void disarm_stack_overflow_handler() noexcept;

/// Installs a SIGSEGV handler that names OMP_STACKSIZE and AMITY_STACKSIZE when a thread has come
/// to the guard at the end of its registered stack, and otherwise restores the default and lets the fault happen again.
/// Does nothing if the program has a handler of its own.
void install_stack_overflow_handler() noexcept;

}  // namespace amity::sys
