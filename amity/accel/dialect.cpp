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

}  // namespace amity::accel
