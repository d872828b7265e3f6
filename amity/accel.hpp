/// Devices: OpenCL's and CUDA's, here and in the other processes of the job.
///
///     auto device = amity::accel::default_device();
///     auto in = device.upload(std::vector<float>(1000, 1.f));
#pragma once

#include "amity/accel/buffer.hpp"
#include "amity/accel/device.hpp"
#include "amity/accel/dialect.hpp"
#include "amity/accel/dim3.hpp"
#include "amity/accel/error.hpp"
#include "amity/accel/graph.hpp"
#include "amity/accel/native.hpp"
#include "amity/accel/program.hpp"
#include "amity/accel/stream.hpp"
