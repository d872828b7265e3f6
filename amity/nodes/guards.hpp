#pragma once

/// The two random words with which libc marks stacks and disguises pointers. They differ from process to process, but
/// a disguised pointer may lie in an object that all use (a FILE of fopencookie). So all threads of the program have
/// process 0's, which they inherit from the thread that makes them.

#include <cstdint>

namespace amity::nodes {

struct guards {
  std::uint64_t of_stacks = 0, of_pointers = 0;
};

#if defined(__x86_64__)
inline guards current_guards() noexcept {
  guards g;
  asm volatile("mov %%fs:0x28, %0; mov %%fs:0x30, %1" : "=r"(g.of_stacks), "=r"(g.of_pointers));
  return g;
}
/// Frames that are entered keep the old word: the caller puts it back before it returns.
[[gnu::always_inline]] inline void set_guards(const guards& g) noexcept {
  asm volatile("mov %0, %%fs:0x28; mov %1, %%fs:0x30" ::"r"(g.of_stacks), "r"(g.of_pointers) : "memory");
}
inline constexpr bool guards_can_be_set = true;
#else  // they are words of the loader's own
inline guards current_guards() noexcept { return {}; }
inline void set_guards(const guards&) noexcept {}
inline constexpr bool guards_can_be_set = false;
#endif

}  // namespace amity::nodes
