#pragma once

/// Another library's work on a device, within the order of Amity's: cuBLAS, cuFFT, CLBlast and the like.
///
///     using namespace amity;
///     future<void> done = accel::call_native(device, {accel::reads(a), accel::reads(b), accel::writes(c)},
///                                            [=](const accel::native_queue& q) {
///       auto queue = static_cast<cl_command_queue>(q.queue);
///       auto status = CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, m, n, k, 1.f,
///                                  q.memory<cl_mem>(a), 0, k, q.memory<cl_mem>(b), 0, n, 0.f,
///                                  q.memory<cl_mem>(c), 0, n, &queue, nullptr);
///       if (status != CLBlastSuccess) throw std::runtime_error("sgemm: " + std::to_string(status));
///     });
///     c.read(result);                                   // after it, as after any other operation that writes c
///
/// The function hands commands to the queue that it gets, and does not wait for them. They begin when all operations
/// are over that the named buffers wait for, and what uses these buffers afterwards waits for them.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/accel/backend.hpp"
#include "amity/accel/buffer.hpp"
#include "amity/accel/device.hpp"
#include "amity/accel/stream.hpp"

namespace amity::accel {

/// What the function of call_native gets: the driver's own objects. OpenCL: `queue` is a `cl_command_queue` whose
/// commands run in order, `context` a `cl_context`, `device` a `cl_device_id`. CUDA: a `CUstream` (a `cudaStream_t`), a
/// `CUcontext`, which is current, and the number of the device. They stay Amity's.
struct native_queue : detail::native_handles {
  std::string_view backend;  ///< "opencl", "cuda"

  /// The memory of a buffer of that call: `memory<cl_mem>(b)`, `memory<CUdeviceptr>(b)`, `memory<float*>(b)` of CUDA.
  /// Throws empty_handle.
  template <class Handle, class T>
  [[nodiscard]] Handle memory(const buffer<T>& b) const {
    std::uintptr_t const its = b.object().memory->handle();
    if constexpr (std::is_pointer_v<Handle>)
      return reinterpret_cast<Handle>(its);
    else
      return static_cast<Handle>(its);
  }
};

/// A buffer that call_native's function uses, and how.
struct native_use {
  detail::buffer_object* buffer;
  bool is_written;
};
/// The commands read the buffer. Throws empty_handle.
template <class T>
[[nodiscard]] native_use reads(const buffer<T>& b) {
  return {&b.object(), false};
}
/// They write it, and may read it. Throws empty_handle.
template <class T>
[[nodiscard]] native_use writes(const buffer<T>& b) {
  return {&b.object(), true};
}

/// Besides: a stream of the device that the commands go to, and futures that they come after.
struct native_options {
  stream on{};
  std::vector<shared_future<void>> after{};
};

/// Calls `hand_over(queue)` once, from any worker, when the commands may be handed over; the future is ready when they
/// are over. It fails with what the function throws, and with the error of what it comes after; what waits
/// for the buffers that it writes fails with it, as behind any other operation. The function must not wait for an
/// operation of Amity's. Throws std::invalid_argument if the device or a buffer is another process's, or a buffer is
/// out of the device's reach. Does not wait.
[[nodiscard]] AMITY_API future<void> call_native(const device& d, std::initializer_list<native_use> uses,
                                                 std::function<void(const native_queue&)> hand_over,
                                                 const native_options& how = {});

/// A buffer of memory that the program has made with the driver itself: a `cl_mem` of the device's context, or a
/// `CUdeviceptr`, of `n` elements at least. Of CUDA it stays the program's, which frees it after the buffer's last
/// operation; a `cl_mem` is retained. Throws device_error, and std::invalid_argument for null.
template <class T, class Handle>
[[nodiscard]] buffer<T> borrow(const device& d, Handle handle, std::size_t n) {
  std::uintptr_t its;
  if constexpr (std::is_pointer_v<Handle>)
    its = reinterpret_cast<std::uintptr_t>(handle);
  else
    its = static_cast<std::uintptr_t>(handle);
  return buffer<T>(detail::borrow_buffer(d.object(), its, n * sizeof(T)), n);
}

}  // namespace amity::accel
