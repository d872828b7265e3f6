// CUDA's words, for g++. The simulated compiler puts this before each source; it is no part of the build.
#include <dlfcn.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#define __device__
#define __host__
#define __constant__ static
#define __shared__ amity_simulated_shared
#define __global__ amity_simulated_kernel
#define __forceinline__ inline
#define __restrict__ __restrict
#define __launch_bounds__(n, ...) amity_simulated_bounds(n)
#define __align__(n) __attribute__((aligned(n)))
struct uint3 {
  unsigned x, y, z;
};
using dim3 = uint3;
struct amity_place_of_item {
  uint3 thread, block, block_size, grid;
};
static amity_place_of_item amity_here;  // a program's kernels run one at a time
#define threadIdx amity_here.thread
#define blockIdx amity_here.block
#define blockDim amity_here.block_size
#define gridDim amity_here.grid
extern "C" {
unsigned char amity_shared_bytes[256 << 10] __attribute__((aligned(16)));
void (*amity_barrier)() = nullptr;
void* amity_place() { return &amity_here; }
}
static inline void __syncthreads() { amity_barrier(); }
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
using std::abs;
using std::max;
using std::min;
template <class T, class U>
T atomicAdd(T* p, U x) {
  T old, next;
  __atomic_load(p, &old, __ATOMIC_RELAXED);
  do next = old + static_cast<T>(x);
  while (!__atomic_compare_exchange(p, &old, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}
#define AMITY_SIMULATED_ATOMIC(name, expression)                                                   \
  template <class T, class U>                                                                      \
  T name(T* p, U u) {                                                                              \
    T old, next, x = static_cast<T>(u);                                                            \
    __atomic_load(p, &old, __ATOMIC_RELAXED);                                                      \
    do next = (expression);                                                                        \
    while (!__atomic_compare_exchange(p, &old, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
    return old;                                                                                    \
  }
AMITY_SIMULATED_ATOMIC(atomicSub, old - x)
AMITY_SIMULATED_ATOMIC(atomicMin, old < x ? old : x)
AMITY_SIMULATED_ATOMIC(atomicMax, old < x ? x : old)
AMITY_SIMULATED_ATOMIC(atomicAnd, old& x)
AMITY_SIMULATED_ATOMIC(atomicOr, old | x)
AMITY_SIMULATED_ATOMIC(atomicXor, old ^ x)
AMITY_SIMULATED_ATOMIC(atomicExch, x)
template <class T, class U, class V>
T atomicCAS(T* p, U u, V v) {
  T expected = static_cast<T>(u), x = static_cast<T>(v);
  __atomic_compare_exchange(p, &expected, &x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
