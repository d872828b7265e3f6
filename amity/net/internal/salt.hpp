#pragma once

/// What a message shows of the job's secret, where no connection has proved it: the code of its function is salted, so
/// that a stranger can't name one, and beside it stands a mark. Each rank's differ. They cost no byte and no time.
///
/// They keep out who can reach a process, not who can read what others send.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace amity::net {

namespace detail {
constexpr std::uint64_t rotated(std::uint64_t x, int by) noexcept { return x << by | x >> (64 - by); }

struct sip_state {
  std::uint64_t a, b, c, d;
  constexpr void round() noexcept {
    a += b, b = rotated(b, 13) ^ a, a = rotated(a, 32);
    c += d, d = rotated(d, 16) ^ c;
    a += d, d = rotated(d, 21) ^ a;
    c += b, b = rotated(b, 17) ^ c, c = rotated(c, 32);
  }
  constexpr void take(std::uint64_t part) noexcept {
    d ^= part;
    round();
    round();
    a ^= part;
  }
};
}  // namespace detail

/// SipHash-2-4 of one word (Aumasson, Bernstein: "SipHash: a fast short-input PRF", 2012): who does not know the key
/// can't tell it from chance.
constexpr std::uint64_t keyed_hash(std::uint64_t key_low, std::uint64_t key_high, std::uint64_t word) noexcept {
  detail::sip_state s{key_low ^ 0x736f6d6570736575, key_high ^ 0x646f72616e646f6d, key_low ^ 0x6c7967656e657261,
                      key_high ^ 0x7465646279746573};
  constexpr std::uint64_t length = std::uint64_t{8} << 56;
  s.take(word);
  s.take(length);
  s.c ^= 0xff;
  for (int i = 0; i < 4; ++i) s.round();
  return s.a ^ s.b ^ s.c ^ s.d;
}

struct salt {
  std::uint64_t of_codes = 0;
  std::uint32_t mark = 0;
};

/// Of messages from `rank`. All of the secret counts.
inline salt salt_of(const char* secret, std::size_t size, int rank) noexcept {
  std::uint64_t low = 0, high = 0;
  for (std::size_t at = 0; at < size; at += sizeof low) {
    std::uint64_t part = 0;
    memcpy(&part, secret + at, size - at < sizeof part ? size - at : sizeof part);
    std::uint64_t const mixed = keyed_hash(low, high, part);
    high = keyed_hash(high, low, part);
    low = mixed;
  }
  auto const word = static_cast<std::uint64_t>(rank) * 2;
  return {keyed_hash(low, high, word), static_cast<std::uint32_t>(keyed_hash(low, high, word + 1))};
}

}  // namespace amity::net
