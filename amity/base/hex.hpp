#pragma once

#include <cstddef>
#include <string>

namespace amity {

/// Two hexadecimal digits to `to[0]` and `to[1]`. Async-signal-safe.
inline void put_hex(char* to, unsigned char byte) noexcept {
  constexpr char digits[] = "0123456789abcdef";
  to[0] = digits[byte >> 4];
  to[1] = digits[byte & 15];
}

/// Two digits for each byte: "00ff".
[[nodiscard]] inline std::string hex(const void* bytes, std::size_t size) {
  std::string text(2 * size, '0');
  for (std::size_t i = 0; i < size; ++i) put_hex(&text[2 * i], static_cast<const unsigned char*>(bytes)[i]);
  return text;
}

}  // namespace amity
