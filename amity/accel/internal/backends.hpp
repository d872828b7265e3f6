#pragma once

/// The back-ends, each in a folder of its own: all that the module's core knows of them beside backend.hpp.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "amity/accel/backend.hpp"
#include "amity/accel/buffer.hpp"

namespace amity::accel::detail {

/// Devices of the machine's OpenCL drivers. libOpenCL is opened at run time.
[[nodiscard]] found_devices find_opencl_devices();
/// Devices of NVIDIA's driver, which is opened at run time.
[[nodiscard]] found_devices find_cuda_devices();

}  // namespace amity::accel::detail

/// Devices of other processes.
namespace amity::accel::remote {

/// The devices of a process, asked for once. Waits for its answer. Throws device_error where the process is lost.
[[nodiscard]] const std::vector<detail::device_object*>& devices_of(int rank);
/// Devices made of parts of one of another process. Throws device_error.
[[nodiscard]] std::vector<detail::device_object*> split_device(const detail::device_object& d, std::uint32_t units);
/// From a buffer of one other process to a buffer of a third, by a message between those two.
[[nodiscard]] future<void> copy_between_others(const detail::buffer_part& from, const detail::buffer_part& to,
                                               std::size_t bytes);

}  // namespace amity::accel::remote
