// Amity's own declarations of CUDA's functions against NVIDIA's headers: it need only be compiled. nvidia.sh does.
#include <cuda.h>
#include <nvrtc.h>

#include <cstddef>
#include <type_traits>

#include "amity/accel/cuda/abi.hpp"

namespace ours = amity::accel::cuda;

// Two types are the same for a caller: of one size, both pointers, both integers, or both void.
template <class A, class B>
constexpr bool agree() {
  using a = std::remove_cv_t<A>;
  using b = std::remove_cv_t<B>;
  if constexpr (std::is_void_v<a> || std::is_void_v<b>)
    return std::is_void_v<a> && std::is_void_v<b>;
  else if constexpr (std::is_pointer_v<a> || std::is_pointer_v<b>)
    return std::is_pointer_v<a> && std::is_pointer_v<b>;
  else
    return std::is_floating_point_v<a> == std::is_floating_point_v<b> && sizeof(a) == sizeof(b) &&
           alignof(a) == alignof(b);
}
template <class A, class B>
struct same : std::false_type {};
template <class R, class... A, class S, class... B>
struct same<R(A...), S(B...)> {
  static constexpr bool arguments() {
    if constexpr (sizeof...(A) != sizeof...(B))
      return false;
    else
      return (agree<A, B>() && ...);
  }
  static constexpr bool value = agree<R, S>() && arguments();
};
#define AMITY_COMPARE(member, symbol, required, ...) \
  static_assert(same<__VA_ARGS__, std::remove_pointer_t<decltype(&::symbol)>>::value, #symbol);
namespace amity::accel::cuda {
AMITY_CUDA_FUNCTIONS(AMITY_COMPARE)
AMITY_NVRTC_FUNCTIONS(AMITY_COMPARE)
}  // namespace amity::accel::cuda

#define AMITY_SAME_PLACE(ours_member, theirs) \
  static_assert(offsetof(ours::box_copy, ours_member) == offsetof(CUDA_MEMCPY3D_PEER, theirs), #theirs)
static_assert(sizeof(ours::box_copy) == sizeof(CUDA_MEMCPY3D_PEER));
AMITY_SAME_PLACE(from.x_bytes, srcXInBytes);
AMITY_SAME_PLACE(from.z, srcZ);
AMITY_SAME_PLACE(from.memory_type, srcMemoryType);
AMITY_SAME_PLACE(from.host, srcHost);
AMITY_SAME_PLACE(from.device, srcDevice);
AMITY_SAME_PLACE(from.context, srcContext);
AMITY_SAME_PLACE(from.pitch, srcPitch);
AMITY_SAME_PLACE(from.height, srcHeight);
AMITY_SAME_PLACE(to.x_bytes, dstXInBytes);
AMITY_SAME_PLACE(to.memory_type, dstMemoryType);
AMITY_SAME_PLACE(to.device, dstDevice);
AMITY_SAME_PLACE(to.height, dstHeight);
AMITY_SAME_PLACE(width_bytes, WidthInBytes);
AMITY_SAME_PLACE(depth, Depth);
static_assert(sizeof(ours::pool_access) == sizeof(CUmemAccessDesc));
static_assert(offsetof(ours::pool_access, flags) == offsetof(CUmemAccessDesc, flags));
static_assert(sizeof(ours::pool_properties) == sizeof(CUmemPoolProps));
static_assert(offsetof(ours::pool_properties, location) == offsetof(CUmemPoolProps, location.id));
static_assert(offsetof(ours::pool_properties, security) == offsetof(CUmemPoolProps, win32SecurityAttributes));
static_assert(ours::pool_properties().allocation_type == CU_MEM_ALLOCATION_TYPE_PINNED);
static_assert(ours::pool_properties().location_type == CU_MEM_LOCATION_TYPE_DEVICE);
static_assert(sizeof(ours::uuid) == sizeof(CUuuid));

static_assert(ours::out_of_memory_code == CUDA_ERROR_OUT_OF_MEMORY && ours::no_device == CUDA_ERROR_NO_DEVICE);
static_assert(ours::not_found == CUDA_ERROR_NOT_FOUND && ours::not_ready == CUDA_ERROR_NOT_READY);
static_assert(ours::peer_is_enabled == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
#define AMITY_SAME_NUMBER(our, theirs) static_assert(static_cast<int>(ours::our) == static_cast<int>(theirs), #theirs)
AMITY_SAME_NUMBER(attribute_block_threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
AMITY_SAME_NUMBER(attribute_block_x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
AMITY_SAME_NUMBER(attribute_block_y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
AMITY_SAME_NUMBER(attribute_block_z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
AMITY_SAME_NUMBER(attribute_grid_x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
AMITY_SAME_NUMBER(attribute_grid_y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
AMITY_SAME_NUMBER(attribute_grid_z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
AMITY_SAME_NUMBER(attribute_pitch, CU_DEVICE_ATTRIBUTE_MAX_PITCH);
AMITY_SAME_NUMBER(attribute_shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
AMITY_SAME_NUMBER(attribute_warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
AMITY_SAME_NUMBER(attribute_clock, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
AMITY_SAME_NUMBER(attribute_processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
AMITY_SAME_NUMBER(attribute_integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED);
AMITY_SAME_NUMBER(attribute_ecc, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
AMITY_SAME_NUMBER(attribute_memory_clock, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
AMITY_SAME_NUMBER(attribute_cache, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
AMITY_SAME_NUMBER(attribute_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
AMITY_SAME_NUMBER(attribute_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
AMITY_SAME_NUMBER(attribute_stream_writes, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS);
AMITY_SAME_NUMBER(attribute_shared_at_most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
AMITY_SAME_NUMBER(attribute_pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
AMITY_SAME_NUMBER(function_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
AMITY_SAME_NUMBER(function_own_shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
AMITY_SAME_NUMBER(function_dynamic_shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
AMITY_SAME_NUMBER(pointer_memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
AMITY_SAME_NUMBER(pointer_range_begin, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR);
AMITY_SAME_NUMBER(pointer_range_bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE);
AMITY_SAME_NUMBER(host_memory, CU_MEMORYTYPE_HOST);
AMITY_SAME_NUMBER(device_memory, CU_MEMORYTYPE_DEVICE);
AMITY_SAME_NUMBER(stream_of_its_own, CU_STREAM_NON_BLOCKING);
AMITY_SAME_NUMBER(event_without_time, CU_EVENT_DISABLE_TIMING);
AMITY_SAME_NUMBER(host_for_all_contexts, CU_MEMHOSTALLOC_PORTABLE);
AMITY_SAME_NUMBER(host_for_devices, CU_MEMHOSTALLOC_DEVICEMAP);
AMITY_SAME_NUMBER(pool_keeps, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
AMITY_SAME_NUMBER(location_device, CU_MEM_LOCATION_TYPE_DEVICE);
AMITY_SAME_NUMBER(access_read_write, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
AMITY_SAME_NUMBER(jit_error_log, CU_JIT_ERROR_LOG_BUFFER);
AMITY_SAME_NUMBER(jit_error_log_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
