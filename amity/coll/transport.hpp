#pragma once

/// What the algorithms of collectives need of whatever carries their messages: of Amity's own processes, of MPI, or of
/// a simulator.

#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "amity/base/language.hpp"

namespace amity::collectives {

/// `send` does not wait for the receiver, and the bytes may be used again when it returns. `receive` waits. Messages of
/// one tag between two sites are in order; others need not be.
template <class T>
concept transport = requires(T& t, int site, int tag, std::span<const std::byte> bytes) {
  { t.site() } -> std::convertible_to<int>;
  { t.sites() } -> std::convertible_to<int>;
  t.send(site, tag, bytes);
  { t.receive(site, tag).bytes() } -> std::convertible_to<std::span<const std::byte>>;
};

/// A message that was received, for transports that have nothing better.
class owned_bytes {
 public:
  owned_bytes() = default;
  explicit owned_bytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace amity::collectives
