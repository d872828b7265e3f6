#pragma once

/// memcpy for what may be large, between places whose distance nobody chose.
///
///     base::copy_bytes(to, from, n);
///
/// Some KiB and more are copied by one instruction (rep movsb), by the C library or by the compiler. On AMD's
/// processors that takes sixteen times as long where the destination's offset within its page is up to 31 bytes more
/// than the source's (glibc bug 30994). What malloc gives for much memory begins 16 bytes behind a page, and segments
/// begin with one; so that is a usual case here. Copied in small parts, it goes by vector instructions, as fast as
/// elsewhere.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "amity/base/language.hpp"

namespace amity::base {

/// Requires: the places don't overlap. `n` may be 0.
inline void copy_bytes(void* to, const void* from, std::size_t n) noexcept {
  constexpr std::size_t page = 4096, near = 64, most = 2048;  // below that, no C library takes the instruction
  auto* t = static_cast<std::byte*>(to);
  const auto* f = static_cast<const std::byte*>(from);
  if (n > most) {
    auto const ahead = (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % page;
    if (ahead != 0 && ahead < near) {
      std::size_t part = most;
      asm("" : "+r"(part));  // of a size that it knows, the compiler makes that instruction itself
      for (; n > part; n -= part, t += part, f += part) std::memcpy(t, f, part);
    }
  }
  if (n != 0) std::memcpy(t, f, n);
}

}  // namespace amity::base
