// Where the calling function's stack ends now. Unlike __builtin_frame_address it needs no frame pointer.
//
//   if (base::stack_pointer() < low_mark) ...
#pragma once

#include <cstddef>

#include "amity/base/language.hpp"

namespace amity::base {

[[nodiscard, gnu::always_inline]] inline const std::byte* stack_pointer() noexcept {
  const std::byte* p;
#if defined(__x86_64__)
  asm("mov %%rsp, %0" : "=r"(p));
#elif defined(__aarch64__)
  asm("mov %0, sp" : "=r"(p));
#else
  p = static_cast<const std::byte*>(__builtin_frame_address(0));
#endif
  return p;
}

}  // namespace amity::base
