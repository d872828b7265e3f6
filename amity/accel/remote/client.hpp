#pragma once

/// Devices of other processes, as a back-end.

#include <vector>

#include "amity/accel/buffer.hpp"
#include "amity/accel/internal/backends.hpp"
#include "amity/accel/objects.hpp"
#include "amity/accel/remote/wire.hpp"

namespace amity::accel::remote {

/// Memory of another process.
class memory final : public detail::native_memory {
 public:
  memory(int rank, name n) noexcept : rank_(rank), name_(n) {}
  ~memory() override;
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] name its_name() const noexcept { return name_; }

 private:
  int rank_;
  name name_;
};

/// Asks process `rank` for something; how many requests it has been sent by now. Does not wait.
std::uint64_t ask(int rank, request r);
/// `rank` is lost: what is asked of it fails.
void fail_what_is_asked_of(int rank);
[[nodiscard]] sent_error error_of_loss(int rank);

/// One of them, or a part of one. Throws device_error where there is none.
[[nodiscard]] detail::device_object& device_of(int rank, int number);

}  // namespace amity::accel::remote
