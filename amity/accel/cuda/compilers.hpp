#pragma once

/// Which of CUDA's run-time compilers (NVRTC) compiles for a device. Several may be there, and devices of one process
/// may need different ones: NVRTC 13 knows no device before 7.5, and an older one not the newest devices.

#include <string>
#include <utility>
#include <vector>

#include "amity/accel/cuda/functions.hpp"

namespace amity::accel::cuda {

/// One that is there.
struct compiler : compiler_functions {
  void* library = nullptr;
  std::string path;
  std::string headers;             ///< the folder of CUDA's own, such as cuda_fp16.h; "": they are not there
  std::vector<int> architectures;  ///< 75, 80, ...; sorted
  bool is_said = false;            ///< CUDA_HOME names its place
  bool is_simulated = false;       ///< it is none of NVIDIA's
  [[nodiscard]] int version() const noexcept { return major_version * 1000 + minor_version * 10; }
};

/// A compiler for a device, and what it compiles for: "sm_90" is machine code; "compute_90" is PTX, which the driver
/// compiles on.
struct compiler_choice {
  const compiler* by;
  std::string architecture;
};

/// Those of `all` whose code the device runs and the driver should take, the best first. One that CUDA_HOME names comes
/// before the others; then machine code before PTX, then newer versions before older. Machine code is taken by drivers
/// of the same major version or a later one, PTX only by drivers that are as new. Machine code of a newer major version
/// comes last: some drivers may take it.
[[nodiscard]] std::vector<compiler_choice> choices(const std::vector<const compiler*>& all,
                                                   std::pair<int, int> capability, int driver_version);

/// The same of all that are on this machine (toolkits.hpp), which are opened at the first call. Empty: `why` says what
/// was found where, and what would help.
[[nodiscard]] std::vector<compiler_choice> compilers_for(std::pair<int, int> capability, int driver_version,
                                                         std::string& why);

}  // namespace amity::accel::cuda
