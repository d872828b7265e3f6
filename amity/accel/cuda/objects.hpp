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
  memory(const device& d, device_address a, bool is_own = true) noexcept : of(d), address(a), is_own_(is_own) {}
  ~memory() override;
  [[nodiscard]] std::uintptr_t handle() const noexcept override { return address; }
  const device& of;
  device_address address;

 private:
  bool is_own_;  ///< else the program frees it
};

/// All handles of a kernel have one function of the driver's, and so the same limits.
class kernel final : public detail::native_kernel {
 public:
  kernel(const device& d, std::string name, function_handle f, detail::kernel_signature s);
  /// Throws kernel_error, with the numbers, unless the device and the kernel take such a launch.
  void check_launch(const detail::command& c) const;
  function_handle handle;

 private:
  [[nodiscard]] int attribute(int which, int otherwise) const noexcept;

  const device& device_;
  std::string name_;
  std::uint64_t most_threads_ = 0;  ///< of a block: it needs so many registers, or says so
  std::size_t own_shared_ = 0;      ///< bytes
  std::size_t most_shared_ = 0;     ///< bytes of a launch beside its own
};

/// All devices are of one domain: each can wait for the others' events, and copy from them.
class device final : public detail::native_device {
 public:
  device(ordinal id, int driver_version);
  [[nodiscard]] const void* domain() const noexcept override;
  [[nodiscard]] bool reaches(const detail::native_device& other) const override;
  [[nodiscard]] std::unique_ptr<detail::native_memory> allocate(std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<detail::native_memory> borrow(std::uintptr_t handle) override;
  [[nodiscard]] std::unique_ptr<detail::native_stream> open_stream() override;
  [[nodiscard]] std::unique_ptr<detail::native_program> build(const detail::program_text& text) override;
  [[nodiscard]] std::vector<std::unique_ptr<detail::native_device>> split(std::uint32_t units) override;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> properties() const override;

  /// Made at the first call, which takes a few hundred milliseconds. Throws device_error.
  [[nodiscard]] context_handle context() const;
  [[nodiscard]] ordinal number() const noexcept { return id_; }
  /// Gives memory back that nothing uses any more. Never waits for the device where it has pools.
  void free(device_address a) const noexcept;
  [[nodiscard]] bool writes_in_stream() const noexcept { return writes_in_stream_; }
  /// Its kernels and copies can use memory of `other`. Requires: both have their contexts.
  [[nodiscard]] bool uses_memory_of(const device& other) const noexcept;
  [[nodiscard]] dim3 largest_grid() const noexcept { return largest_grid_; }
  [[nodiscard]] std::size_t largest_pitch() const noexcept { return largest_pitch_; }
  [[nodiscard]] std::size_t shared_without_asking() const noexcept { return shared_without_asking_; }

 private:
  [[nodiscard]] int attribute(int which) const noexcept;
  void make_context() const;
  /// `user` may use memory of `owner` from now on, if it can.
  static void connect(const device& user, context_handle users, const device& owner, context_handle owners);
  [[nodiscard]] result allocate_now(device_address& made, std::size_t bytes) const;

  ordinal id_;
  int driver_version_;
  bool writes_in_stream_ = false;  ///< the device can tell how far a stream is by writing it to memory
  bool has_pool_ = false;
  dim3 largest_grid_{0, 0, 0};
  std::size_t largest_pitch_ = 0;          ///< bytes between rows of a box
  std::size_t shared_without_asking_ = 0;  ///< bytes of shared memory that every kernel may have

  mutable sync::mutex lock_;                              ///< of making the context
  mutable std::atomic<context_handle> context_{nullptr};  ///< released when the rest is made
  mutable stream_handle memory_stream_ = nullptr;         ///< of what is allocated and freed
  mutable pool_handle pool_ = nullptr;                    ///< Amity's own: others use the device's, and set its limits
  mutable std::atomic<std::uint64_t> usable_{0};  ///< a bit for each device whose memory it can use; only ever set
};

}  // namespace amity::accel::cuda
