#include <cstdint>

#include "amity/sys/context.hpp"

extern "C" void amity_context_start() noexcept;

namespace amity::sys {

void* make_context(void* stack_top, void (*entry)(void*), void* argument) noexcept {
  // The layout is the one of context_x86_64.S. amity_context_start is entered by `ret`, with the stack pointer
  // 16-byte aligned, so that its call leaves the callee the alignment the ABI asks for.
  auto* top =
      reinterpret_cast<std::uint64_t*>((reinterpret_cast<std::uintptr_t>(stack_top) - 64) & ~std::uintptr_t{63});
  std::uint64_t* frame = top - 8;
  std::uint32_t mxcsr;
  std::uint16_t x87;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  asm volatile("fnstcw %0" : "=m"(x87));
  frame[0] = mxcsr | (std::uint64_t{x87} << 32);
  frame[1] = 0;                                          // r15
  frame[2] = 0;                                          // r14
  frame[3] = reinterpret_cast<std::uint64_t>(argument);  // r13
  frame[4] = reinterpret_cast<std::uint64_t>(entry);     // r12
  frame[5] = 0;                                          // rbx
  frame[6] = 0;                                          // rbp
  frame[7] = reinterpret_cast<std::uint64_t>(&amity_context_start);
  return frame;
}

}  // namespace amity::sys
