#pragma once

/// Memory of the host that a device can read and write while a program goes on. Copies from and to any other memory
/// would block their caller until they are over, so they go through a block of this.

#include <cstddef>

namespace amity::accel::cuda {

/// A block of a pool of the process's. It costs milliseconds to make one, and nothing to have it again.
class pinned_block {
 public:
  pinned_block() noexcept = default;
  /// Throws out_of_memory. Requires: a context is current.
  explicit pinned_block(std::size_t bytes);
  pinned_block(pinned_block&& other) noexcept;
  pinned_block& operator=(pinned_block&& other) noexcept;
  /// It never waits. Requires: a context is current.
  ~pinned_block();
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] explicit operator bool() const noexcept { return data_ != nullptr; }

 private:
  std::byte* data_ = nullptr;
  unsigned size_class_ = 0;  ///< it has 2 to that many bytes
};

/// The device can use this memory of a program's as it is: all of it is of one piece that is pinned. Requires: a
/// context is current.
[[nodiscard]] bool is_pinned(const void* host, std::size_t bytes) noexcept;

}  // namespace amity::accel::cuda
