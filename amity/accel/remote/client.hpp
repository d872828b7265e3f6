#pragma once

/// Devices of other processes, as a back-end.

#include <vector>

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
/// The devices of a process, asked for once. Waits for its answer.
[[nodiscard]] const std::vector<detail::device_object*>& devices_of(int rank);

}  // namespace amity::accel::remote
