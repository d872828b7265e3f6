#pragma once

/// `#include <hpxcl/cuda.hpp>` of HPXCL's programs. They are compiled by nvcc there, and use some functions of CUDA's
/// runtime without including it. Those are here, unless cuda_runtime.h was included before.

#include "amity/accel/hpxcl/cuda.hpp"
#include "amity/accel/hpxcl/words.hpp"

#if !defined(__CUDACC__) && !defined(__CUDA_RUNTIME_H__)
enum cudaError_t : int { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 };
inline cudaError_t cudaMallocHost(void** memory, std::size_t bytes) noexcept {
  *memory = std::malloc(bytes);
  return *memory != nullptr || bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaFreeHost(void* memory) noexcept {
  std::free(memory);
  return cudaSuccess;
}
inline cudaError_t cudaGetLastError() noexcept { return cudaSuccess; }
inline cudaError_t cudaSetDevice(int) noexcept { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() noexcept { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t e) noexcept {
  return e == cudaSuccess ? "no error" : "out of memory";
}
#endif

/// HPXCL's own: ends the program, with words, if CUDA's runtime has failed. Amity's operations tell by their futures.
inline void checkCudaError(const char* when) {
  cudaError_t const e = cudaGetLastError();
  if (e == cudaSuccess) return;
  std::cerr << when << ": " << cudaGetErrorString(e) << std::endl;
  std::exit(EXIT_FAILURE);
}
