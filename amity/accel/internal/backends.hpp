#pragma once

/// The back-ends, each in a folder of its own.

#include "amity/accel/backend.hpp"

namespace amity::accel::detail {

/// Devices of the machine's OpenCL drivers. libOpenCL is opened at run time.
[[nodiscard]] found_devices find_opencl_devices();
/// Devices of NVIDIA's driver, which is opened at run time.
[[nodiscard]] found_devices find_cuda_devices();

}  // namespace amity::accel::detail
