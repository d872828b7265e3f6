#include <cstdint>

#include "amity/sys/context.hpp"

extern "C" void amity_context_start() noexcept;

namespace amity::sys {

void* make_context(void* stack_top, void (*entry)(void*), void* argument) noexcept {
  // The layout is the one of context_aarch64.S: 22 words, the stack pointer 16-byte aligned.
  auto* top =
      reinterpret_cast<std::uint64_t*>((reinterpret_cast<std::uintptr_t>(stack_top) - 64) & ~std::uintptr_t{63});
  std::uint64_t* frame = top - 22;
  for (int i = 0; i < 22; ++i) frame[i] = 0;
  std::uint64_t fpcr;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  frame[0] = reinterpret_cast<std::uint64_t>(entry);                  // x19
  frame[1] = reinterpret_cast<std::uint64_t>(argument);               // x20
  frame[11] = reinterpret_cast<std::uint64_t>(&amity_context_start);  // x30
  frame[20] = fpcr;
  return frame;
}

}  // namespace amity::sys
