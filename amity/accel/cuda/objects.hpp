#pragma once

/// CUDA's side of the back-end: what devices.cpp, stream.cpp and build.cpp share.

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "amity/accel/backend.hpp"
#include "amity/accel/cuda/functions.hpp"
#include "amity/sync/mutex.hpp"

namespace amity::accel::cuda {

class device;

class memory final : public detail::native_memory {
 public:
  memory(const device& d, device_address a) noexcept : of(d), address(a) {}
  ~memory() override;
  const device& of;
  device_address address;
};

class kernel final : public detail::native_kernel {
 public:
  kernel(function_handle f, detail::kernel_signature s) : handle(f) { signature_ = std::move(s); }
  function_handle handle;
  std::size_t shared_bytes = 0;  ///< as many it may be launched with beyond those that every kernel may
};

/// All devices are of one domain: each can wait for the others' events, and copy from them.
class device final : public detail::native_device {
 public:
  device(ordinal id, int driver_version);
  [[nodiscard]] const void* domain() const noexcept override;
  [[nodiscard]] bool reaches(const detail::native_device& other) const override;
  [[nodiscard]] std::unique_ptr<detail::native_memory> allocate(std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<detail::native_stream> open_stream() override;
  [[nodiscard]] std::unique_ptr<detail::native_program> build(const detail::program_text& text) override;
  [[nodiscard]] std::vector<std::unique_ptr<detail::native_device>> split(std::uint32_t units) override;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> properties() const override;

  /// Made at the first call, which takes a few hundred milliseconds. Throws device_error.
  [[nodiscard]] context_handle context() const;
  /// Gives memory back that nothing uses any more. Never waits for the device where it has pools.
  void free(device_address a) const noexcept;
  [[nodiscard]] bool writes_in_stream() const noexcept { return writes_in_stream_; }

 private:
  [[nodiscard]] int attribute(int which) const noexcept;
  void make_context() const;
  [[nodiscard]] result allocate_now(device_address& made, std::size_t bytes) const;

  ordinal id_;
  int driver_version_;
  bool writes_in_stream_ = false;  ///< the device can tell how far a stream is by writing it to memory
  bool has_pool_ = false;

  mutable sync::mutex lock_;                              ///< of making the context
  mutable std::atomic<context_handle> context_{nullptr};  ///< released when the rest is made
  mutable stream_handle memory_stream_ = nullptr;         ///< of what is allocated and freed
  mutable pool_handle pool_ = nullptr;
};

}  // namespace amity::accel::cuda
