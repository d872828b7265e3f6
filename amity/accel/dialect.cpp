#include "amity/accel/dialect.hpp"

namespace amity::accel {

const std::string& opencl_prelude() {
  static const auto* const text = new std::string(R"(#define AMITY_OPENCL 1
#define AMITY_KERNEL __kernel
#define AMITY_DEVICE
#define AMITY_GLOBAL __global
#define AMITY_CONSTANT __constant
#define AMITY_LOCAL __local
#define AMITY_GLOBAL_ID(d) get_global_id(d)
#define AMITY_LOCAL_ID(d) get_local_id(d)
#define AMITY_GROUP_ID(d) get_group_id(d)
#define AMITY_GLOBAL_SIZE(d) get_global_size(d)
#define AMITY_LOCAL_SIZE(d) get_local_size(d)
#define AMITY_GROUPS(d) get_num_groups(d)
#define AMITY_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define AMITY_SHARED_PARAMETER(type, name) , __local type* name
#define AMITY_SHARED(type, name)
#define AMITY_SHARED_ARRAY(type, name, n) __local type name[n]
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define AMITY_HAS_FP64 1
#else
#define AMITY_HAS_FP64 0
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define AMITY_HAS_FP16 1
#else
#define AMITY_HAS_FP16 0
#endif
#define AMITY_ATOMIC_ADD(p, x) amity_add(p, x)
#define AMITY_ATOMIC_SUB(p, x) atomic_sub(p, x)
#define AMITY_ATOMIC_MIN(p, x) atomic_min(p, x)
#define AMITY_ATOMIC_MAX(p, x) atomic_max(p, x)
#define AMITY_ATOMIC_AND(p, x) atomic_and(p, x)
#define AMITY_ATOMIC_OR(p, x) atomic_or(p, x)
#define AMITY_ATOMIC_XOR(p, x) atomic_xor(p, x)
#define AMITY_ATOMIC_EXCHANGE(p, x) atomic_xchg(p, x)
#define AMITY_ATOMIC_COMPARE_EXCHANGE(p, expected, x) atomic_cmpxchg(p, expected, x)
#define AMITY_ADDS(space) \
  __attribute__((overloadable)) inline int amity_add(volatile space int* p, int x) { return atomic_add(p, x); } \
  __attribute__((overloadable)) inline uint amity_add(volatile space uint* p, uint x) { return atomic_add(p, x); } \
  __attribute__((overloadable)) inline float amity_add(volatile space float* p, float x) { \
    volatile space uint* const bits = (volatile space uint*)p; \
    uint old = *bits, seen; \
    while ((seen = atomic_cmpxchg(bits, old, as_uint(as_float(old) + x))) != old) old = seen; \
    return as_float(old); \
  }
AMITY_ADDS(__global)
AMITY_ADDS(__local)
#undef AMITY_ADDS
#line 1
)");
  return *text;
}

const std::string& cuda_prelude() {
  static const auto* const text = new std::string(R"(#define AMITY_CUDA 1
#define AMITY_KERNEL __global__
#define AMITY_DEVICE __device__
#define AMITY_GLOBAL
#define AMITY_CONSTANT
#define AMITY_LOCAL
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define AMITY_OF(v, d) ((d) == 0 ? (v).x : (d) == 1 ? (v).y : (v).z)
#define AMITY_LOCAL_ID(d) ((size_t)AMITY_OF(threadIdx, d))
#define AMITY_GROUP_ID(d) ((size_t)AMITY_OF(blockIdx, d))
#define AMITY_LOCAL_SIZE(d) ((size_t)AMITY_OF(blockDim, d))
#define AMITY_GROUPS(d) ((size_t)AMITY_OF(gridDim, d))
#define AMITY_GLOBAL_ID(d) (AMITY_GROUP_ID(d) * AMITY_OF(blockDim, d) + AMITY_OF(threadIdx, d))
#define AMITY_GLOBAL_SIZE(d) (AMITY_GROUPS(d) * AMITY_OF(blockDim, d))
#define AMITY_BARRIER() __syncthreads()
#define AMITY_SHARED_PARAMETER(type, name)
#define AMITY_SHARED(type, name) \
  extern __shared__ __align__(16) unsigned char amity_shared_bytes[]; \
  type* const name = (type*)amity_shared_bytes
#define AMITY_SHARED_ARRAY(type, name, n) __shared__ type name[n]
#define AMITY_HAS_FP64 1
#if defined(AMITY_INCLUDE_FP16) && __has_include(<cuda_fp16.h>)
#include <cuda_fp16.h>
#define AMITY_HAS_FP16 1
#else
#define AMITY_HAS_FP16 0
#endif
#define AMITY_ATOMIC_ADD(p, x) atomicAdd(p, x)
#define AMITY_ATOMIC_SUB(p, x) atomicSub(p, x)
#define AMITY_ATOMIC_MIN(p, x) atomicMin(p, x)
#define AMITY_ATOMIC_MAX(p, x) atomicMax(p, x)
#define AMITY_ATOMIC_AND(p, x) atomicAnd(p, x)
#define AMITY_ATOMIC_OR(p, x) atomicOr(p, x)
#define AMITY_ATOMIC_XOR(p, x) atomicXor(p, x)
#define AMITY_ATOMIC_EXCHANGE(p, x) atomicExch(p, x)
#define AMITY_ATOMIC_COMPARE_EXCHANGE(p, expected, x) atomicCAS(p, expected, x)
#line 1
)");
  return *text;
}

}  // namespace amity::accel
