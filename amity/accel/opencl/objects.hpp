#pragma once

/// OpenCL's side of the back-end: what devices.cpp, stream.cpp and build.cpp share.

#include <memory>
#include <string>
#include <vector>

#include "amity/accel/backend.hpp"
#include "amity/accel/opencl/functions.hpp"

namespace amity::accel::opencl {

class memory final : public detail::native_memory {
 public:
  explicit memory(cl_mem m) noexcept : its(m) {}
  ~memory() override { cl().ReleaseMemObject(its); }
  [[nodiscard]] std::uintptr_t handle() const noexcept override { return reinterpret_cast<std::uintptr_t>(its); }
  cl_mem its;
};

class kernel final : public detail::native_kernel {
 public:
  kernel(cl_kernel k, detail::kernel_signature s, const detail::kernel_limits& l) : handle(k) {
    signature_ = std::move(s);
    limits_ = l;
  }
  ~kernel() override { cl().ReleaseKernel(handle); }
  cl_kernel handle;
};

/// Devices of one context can wait for one another.
class device final : public detail::native_device {
 public:
  device(cl_context c, cl_device_id d, const detail::device_facts& facts) : context(c), id(d) { facts_ = facts; }
  [[nodiscard]] const void* domain() const noexcept override { return context; }
  [[nodiscard]] std::unique_ptr<detail::native_memory> allocate(std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<detail::native_memory> borrow(std::uintptr_t handle) override;
  [[nodiscard]] std::unique_ptr<detail::native_stream> open_stream() override;
  [[nodiscard]] std::unique_ptr<detail::native_program> build(const detail::program_text& text) override;
  [[nodiscard]] std::vector<std::unique_ptr<detail::native_device>> split(std::uint32_t units) override;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> properties() const override;

  cl_context context;
  cl_device_id id;
};

[[nodiscard]] detail::device_facts facts_of(cl_platform_id p, cl_device_id d);

template <class T>
[[nodiscard]] T device_value(cl_device_id d, cl_device_info what) {
  T x{};
  cl().GetDeviceInfo(d, what, sizeof x, &x, nullptr);
  return x;
}
[[nodiscard]] std::string device_text(cl_device_id d, cl_device_info what);

}  // namespace amity::accel::opencl
