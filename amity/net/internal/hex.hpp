#pragma once

#include <cstddef>
#include <string>

namespace amity::net {

/// Two digits for each byte.
[[nodiscard]] inline std::string hex(const void* bytes, std::size_t size) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    auto const b = static_cast<const unsigned char*>(bytes)[i];
    text += digits[b >> 4];
    text += digits[b & 15];
  }
  return text;
}

}  // namespace amity::net
