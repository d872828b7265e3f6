#pragma once

/// How a command becomes calls of CUDA's driver.

#include <cstring>
#include <memory>
#include <vector>

#include "amity/accel/cuda/objects.hpp"
#include "amity/accel/cuda/pinned.hpp"

namespace amity::accel::cuda {

/// A copy by the host between two commands of the stream.
struct host_copy {
  void* to;
  const void* from;
  std::size_t bytes;
  static void run(void* self) {
    const auto* const c = static_cast<const host_copy*>(self);
    std::memcpy(c->to, c->from, c->bytes);
  }
};

/// What a command needs until its mark is released: CUDA would let the callers of copies from and to memory that is not
/// pinned wait, so these go through blocks that are.
struct staging {
  pinned_block block;
  void* deliver_to = nullptr;  ///< of a read that is still to be copied from the block
  std::size_t bytes = 0;
  detail::command boxes;  ///< of a read of a box: where it goes
  std::vector<host_copy> copies;

  /// The read is over: what it has brought comes to where it belongs.
  void deliver() const noexcept;
};

/// Hands a command to the driver, as the next one of `stream`. Requires: the context of `on`, its device, is current.
/// Throws device_error, and then a part of the command may be under way.
void issue(const detail::command& c, stream_handle stream, const device& on, staging& keeps);

}  // namespace amity::accel::cuda
