#pragma once

/// The portable dialect of kernels: macros that stand before each source, so that one text is compiled by every
/// back-end.
///
///     AMITY_KERNEL void reverse_blocks(AMITY_GLOBAL const float* in,
///                                      AMITY_GLOBAL float* out AMITY_SHARED_PARAMETER(float, tile)) {
///       AMITY_SHARED(float, tile);                       // as many bytes as the launch says: .shared_bytes
///       tile[AMITY_LOCAL_ID(0)] = in[AMITY_GLOBAL_ID(0)];
///       AMITY_BARRIER();
///       out[AMITY_GLOBAL_ID(0)] = tile[AMITY_LOCAL_SIZE(0) - 1 - AMITY_LOCAL_ID(0)];
///     }
///
/// | macro | |
/// |---|---|
/// | `AMITY_KERNEL`, `AMITY_DEVICE` | before a kernel; before a function that kernels call |
/// | `AMITY_GLOBAL`, `AMITY_CONSTANT`, `AMITY_LOCAL` | where a pointer points to |
/// | `AMITY_GLOBAL_ID(d)`, `AMITY_LOCAL_ID(d)`, `AMITY_GROUP_ID(d)` | of a work item in all, in its block; its block |
/// | `AMITY_GLOBAL_SIZE(d)`, `AMITY_LOCAL_SIZE(d)`, `AMITY_GROUPS(d)` | how many there are |
/// | `AMITY_BARRIER()` | all work items of the block have come here, and see what was written before |
/// | `AMITY_ATOMIC_ADD(p, x)`, `EXCHANGE` | what was there; on int, unsigned, float |
/// | `AMITY_ATOMIC_SUB(p, x)`, `MIN`, `MAX`, `AND`, `OR`, `XOR` | what was there; on int, unsigned |
/// | `AMITY_ATOMIC_COMPARE_EXCHANGE(p, expected, x)` | what was there; on int, unsigned |
/// | `AMITY_SHARED_ARRAY(type, name, n)` | local memory of a block, in the kernel; n is known |
/// | `AMITY_SHARED_PARAMETER(type, name)`, `AMITY_SHARED(type, name)` | the same, of the launch's size |
/// | `AMITY_HAS_FP64`, `AMITY_HAS_FP16` | 1 where double, half can be used, else 0 |
/// | `AMITY_OPENCL`, `AMITY_CUDA` | 1 where OpenCL's, CUDA's compiler compiles; else not defined |
///
/// CUDA's compiler takes it as C++, OpenCL's as C: what both take is both.

#include <string>

#include "amity/base/config.hpp"
#include "amity/base/language.hpp"

namespace amity::accel {

/// The macros as OpenCL's compiler gets them, before each source: to see what they are. Lives as long as the process.
[[nodiscard]] AMITY_API const std::string& opencl_prelude();
/// The macros as CUDA's compiler gets them. Lives as long as the process.
[[nodiscard]] AMITY_API const std::string& cuda_prelude();

}  // namespace amity::accel
