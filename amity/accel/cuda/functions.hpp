#pragma once

/// CUDA's driver, opened at run time, and what its run-time compilers are called by (compilers.hpp).

#include <string>
#include <type_traits>

#include "amity/accel/cuda/abi.hpp"
#include "amity/accel/error.hpp"

namespace amity::accel::cuda {

struct driver_functions {
#define AMITY_CUDA_MEMBER(member, symbol, required, ...) std::add_pointer_t<__VA_ARGS__> member = nullptr;
  AMITY_CUDA_FUNCTIONS(AMITY_CUDA_MEMBER)
#undef AMITY_CUDA_MEMBER
};

struct compiler_functions {
#define AMITY_NVRTC_MEMBER(member, symbol, required, ...) std::add_pointer_t<__VA_ARGS__> member = nullptr;
  AMITY_NVRTC_FUNCTIONS(AMITY_NVRTC_MEMBER)
#undef AMITY_NVRTC_MEMBER
  int major_version = 0, minor_version = 0;
};

/// False: `why` says what is missing.
[[nodiscard]] bool open_driver(std::string& why);
/// Requires: open_driver has found it.
[[nodiscard]] const driver_functions& driver() noexcept;
/// It is open, and simulated: it has none of the tables that NVIDIA's own libraries ask one another for.
[[nodiscard]] bool is_driver_simulated() noexcept;

/// "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered"
[[nodiscard]] std::string words_of_error(result code);
/// Throws out_of_memory or device_error, unless `code` is 0.
void check(result code, const char* what);

/// The calls of a scope are about this context; what was the thread's comes back at the end.
class within_context {
 public:
  explicit within_context(context_handle c) noexcept;
  ~within_context();
  within_context(const within_context&) = delete;
  within_context& operator=(const within_context&) = delete;

 private:
  context_handle before_ = nullptr;
  bool is_changed_ = false;
};

}  // namespace amity::accel::cuda
