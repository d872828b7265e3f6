#pragma once

/// What cuda.h calls its errors, as far as the simulated driver returns them.

#include "amity/accel/cuda/abi.hpp"  // has some

namespace amity::accel::cuda::simulator {

constexpr int good = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3, invalid_device = 101,
              invalid_image = 200, invalid_context = 201, no_binary_for_gpu = 209, peer_access_unsupported = 217,
              invalid_ptx = 218, unsupported_ptx_version = 222, invalid_handle = 400, illegal_state = 401,
              illegal_address = 700, launch_out_of_resources = 701, peer_access_already_enabled = 704,
              launch_failed = 719, not_permitted = 800, capture_unsupported = 900, capture_invalidated = 901,
              unknown = 999;

/// Null: a test has no need of it.
inline const char* name_of(int code) noexcept {
  switch (code) {
    case good:
      return "CUDA_SUCCESS";
    case invalid_value:
      return "CUDA_ERROR_INVALID_VALUE";
    case out_of_memory:
      return "CUDA_ERROR_OUT_OF_MEMORY";
    case not_initialized:
      return "CUDA_ERROR_NOT_INITIALIZED";
    case no_device:
      return "CUDA_ERROR_NO_DEVICE";
    case invalid_device:
      return "CUDA_ERROR_INVALID_DEVICE";
    case invalid_image:
      return "CUDA_ERROR_INVALID_IMAGE";
    case invalid_context:
      return "CUDA_ERROR_INVALID_CONTEXT";
    case no_binary_for_gpu:
      return "CUDA_ERROR_NO_BINARY_FOR_GPU";
    case peer_access_unsupported:
      return "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED";
    case invalid_ptx:
      return "CUDA_ERROR_INVALID_PTX";
    case unsupported_ptx_version:
      return "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
    case invalid_handle:
      return "CUDA_ERROR_INVALID_HANDLE";
    case illegal_state:
      return "CUDA_ERROR_ILLEGAL_STATE";
    case not_found:
      return "CUDA_ERROR_NOT_FOUND";
    case not_ready:
      return "CUDA_ERROR_NOT_READY";
    case illegal_address:
      return "CUDA_ERROR_ILLEGAL_ADDRESS";
    case peer_access_already_enabled:
      return "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED";
    case launch_failed:
      return "CUDA_ERROR_LAUNCH_FAILED";
    case not_permitted:
      return "CUDA_ERROR_NOT_PERMITTED";
    case capture_unsupported:
      return "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
    case capture_invalidated:
      return "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED";
    case unknown:
      return "CUDA_ERROR_UNKNOWN";
    default:
      return nullptr;
  }
}

}  // namespace amity::accel::cuda::simulator
