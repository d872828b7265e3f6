#pragma once

/// FNV-1a (Fowler, Noll, Vo; RFC 9923): a short mark of what should be equal, e.g. of a program's code in each process
/// of a job. It is no proof: who wants two texts with one mark can make them.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace amity {

inline constexpr std::uint64_t hash_of_nothing = 0xcbf29ce484222325;

/// `h`, and then `next`: a byte, or a whole number where no other program has to come to the same mark.
[[nodiscard]] constexpr std::uint64_t hash_on(std::uint64_t h, std::uint64_t next) noexcept {
  return (h ^ next) * 0x100000001b3;
}

[[nodiscard]] inline std::uint64_t hash_of(const void* bytes, std::size_t size,
                                           std::uint64_t h = hash_of_nothing) noexcept {
  const auto* const p = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < size; ++i) h = hash_on(h, p[i]);
  return h;
}

/// With 128 bits, for what must not meet by chance: names of files in a cache.
[[nodiscard]] constexpr unsigned __int128 wide_hash_of(std::string_view text) noexcept {
  constexpr auto prime = (static_cast<unsigned __int128>(0x0000000001000000) << 64) | 0x000000000000013b;
  auto h = (static_cast<unsigned __int128>(0x6c62272e07bb0142) << 64) | 0x62b821756295c58d;
  for (char const c : text) h = (h ^ static_cast<unsigned char>(c)) * prime;
  return h;
}

}  // namespace amity
