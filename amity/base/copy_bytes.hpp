#pragma once

/// memcpy for what may be large, between places whose distance nobody chose.
///
///     base::copy_bytes(to, from, n);
///
/// The C library copies some KiB and more by one instruction (rep movsb). On AMD's processors that takes four to six
/// times as long where the places are at nearly the same offset within their pages (glibc bug 30994). What malloc gives
/// for much memory begins 16 bytes behind a page, and segments begin with one; so that is the usual case here. Copied
/// in small parts, it goes by vector instructions, as fast as elsewhere.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace amity::base {

/// Requires: the places don't overlap. `n` may be 0.
inline void copy_bytes(void* to, const void* from, std::size_t n) noexcept {
  constexpr std::size_t page = 4096, near = 256, part = 2048;  // below, no C library takes that instruction
  auto* t = static_cast<std::byte*>(to);
  const auto* f = static_cast<const std::byte*>(from);
  if (n > part) {
    auto const distance = (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % page;
    if (distance < near || distance > page - near)
      for (; n > part; n -= part, t += part, f += part) std::memcpy(t, f, part);
  }
  if (n != 0) std::memcpy(t, f, n);
}

}  // namespace amity::base
