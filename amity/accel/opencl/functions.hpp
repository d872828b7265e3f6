#pragma once

/// OpenCL's functions, from the loader that is opened at run time.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <string>

#include "amity/accel/error.hpp"

namespace amity::accel::opencl {

// What is called, and nothing else.
// clang-format off
#define AMITY_OPENCL_FUNCTIONS(X) \
  X(GetPlatformIDs) X(GetPlatformInfo) X(GetDeviceIDs) X(GetDeviceInfo) X(CreateSubDevices) X(CreateContext) \
  X(CreateCommandQueueWithProperties) X(CreateBuffer) X(RetainMemObject) X(ReleaseMemObject) \
  X(CreateProgramWithSource) X(CreateProgramWithBinary) X(BuildProgram) X(GetProgramInfo) X(GetProgramBuildInfo) \
  X(ReleaseProgram) X(CreateKernel) X(ReleaseKernel) X(SetKernelArg) X(GetKernelInfo) X(GetKernelArgInfo) \
  X(GetKernelWorkGroupInfo) X(EnqueueWriteBuffer) \
  X(EnqueueReadBuffer) X(EnqueueCopyBuffer) X(EnqueueFillBuffer) X(EnqueueWriteBufferRect) \
  X(EnqueueReadBufferRect) X(EnqueueCopyBufferRect) X(EnqueueNDRangeKernel) X(EnqueueMarkerWithWaitList) \
  X(Flush) X(GetEventInfo) X(GetEventProfilingInfo) X(SetEventCallback) X(ReleaseEvent)
// clang-format on

struct functions {
#define AMITY_OPENCL_MEMBER(name) decltype(&::cl##name) name = nullptr;
  AMITY_OPENCL_FUNCTIONS(AMITY_OPENCL_MEMBER)
#undef AMITY_OPENCL_MEMBER
};

/// Null: `why` says what is missing.
[[nodiscard]] const functions* open_functions(std::string& why);
/// Requires: open_functions has found them.
[[nodiscard]] const functions& cl() noexcept;
/// From now on a call waits while another thread is in one. Requires: no other thread makes calls yet.
void call_one_at_a_time() noexcept;

/// "CL_OUT_OF_RESOURCES (-5)"
[[nodiscard]] std::string words_of_error(int code);
/// Throws out_of_memory or device_error, unless `code` is 0.
void check(int code, const char* what);

}  // namespace amity::accel::opencl
