#pragma once

/// What Amity calls of CUDA's driver and of its run-time compiler, as declarations of its own: NVIDIA's headers are not
/// needed to build, and its libraries only where there is such a device. tests/accel compares each line with NVIDIA's
/// header, where that can be installed.
///
/// Facts: CUDA Driver API and NVRTC, their reference manuals, versions 11.2 to 13.0.

#include <cstddef>
#include <cstdint>

namespace amity::accel::cuda {

using result = int;                    ///< CUresult, nvrtcResult; 0: good
using ordinal = int;                   ///< CUdevice
using device_address = std::uint64_t;  ///< CUdeviceptr
using context_handle = struct context_record*;
using stream_handle = struct stream_record*;
using event_handle = struct event_record*;
using module_handle = struct module_record*;
using function_handle = struct function_record*;
using pool_handle = struct pool_record*;
using graph_handle = struct graph_record*;
using launchable_graph = struct launchable_graph_record*;
using host_function = void (*)(void*);
using compilation = struct compilation_record*;  ///< nvrtcProgram

/// CUuuid
struct uuid {
  unsigned char bytes[16];
};

/// CUDA_MEMCPY3D_PEER
struct box_copy {
  struct side {
    std::size_t x_bytes = 0, y = 0, z = 0, level = 0;
    int memory_type = 0;
    const void* host = nullptr;
    device_address device = 0;
    void* array = nullptr;
    context_handle context = nullptr;
    std::size_t pitch = 0, height = 0;
  };
  side from, to;
  std::size_t width_bytes = 0, height = 0, depth = 0;
};

/// CUmemAccessDesc
struct pool_access {
  int location_type;
  int location;
  int flags;
};

/// CUmemPoolProps
struct pool_properties {
  int allocation_type = 1;  ///< CU_MEM_ALLOCATION_TYPE_PINNED, of which all are
  int handle_types = 0;     ///< no other process gets any
  int location_type = 1;    ///< location_device
  int location = 0;
  void* security = nullptr;
  std::size_t most_bytes = 0;  ///< the driver's own limit
  unsigned char reserved[56] = {};
};

// Numbers of the manuals.
inline constexpr result out_of_memory_code = 2, no_device = 100, not_found = 500, not_ready = 600,
                        peer_is_enabled = 704;
inline constexpr int attribute_block_threads = 1, attribute_block_x = 2, attribute_block_y = 3, attribute_block_z = 4,
                     attribute_grid_x = 5, attribute_grid_y = 6, attribute_grid_z = 7, attribute_shared = 8,
                     attribute_warp = 10, attribute_pitch = 11, attribute_clock = 13, attribute_processors = 16,
                     attribute_integrated = 18, attribute_ecc = 32, attribute_memory_clock = 36, attribute_cache = 38,
                     attribute_major = 75, attribute_minor = 76, attribute_stream_writes = 122,
                     attribute_shared_at_most = 97, attribute_pools = 115;
inline constexpr int function_threads = 0, function_own_shared = 1, function_dynamic_shared = 8;
inline constexpr int pointer_memory_type = 2, pointer_range_begin = 11, pointer_range_bytes = 12;
inline constexpr int host_memory = 1, device_memory = 2;
inline constexpr unsigned stream_of_its_own = 1;  ///< it does not wait for stream 0
inline constexpr unsigned event_with_time = 0, event_without_time = 2;
inline constexpr unsigned host_for_all_contexts = 1, host_for_devices = 2;
inline constexpr int pool_keeps = 4;
inline constexpr int location_device = 1, access_read_write = 3;
inline constexpr int capture_relaxed = 2;
inline constexpr int jit_error_log = 5, jit_error_log_bytes = 6;

// X(member, symbol, is required, signature). What is not required is null where a driver lacks it.
// clang-format off
#define AMITY_CUDA_FUNCTIONS(X) \
  X(init, cuInit, true, result(unsigned)) \
  X(driver_version, cuDriverGetVersion, true, result(int*)) \
  X(error_name, cuGetErrorName, true, result(result, const char**)) \
  X(error_text, cuGetErrorString, true, result(result, const char**)) \
  X(device_count, cuDeviceGetCount, true, result(int*)) \
  X(device, cuDeviceGet, true, result(ordinal*, int)) \
  X(device_name, cuDeviceGetName, true, result(char*, int, ordinal)) \
  X(device_memory, cuDeviceTotalMem_v2, true, result(std::size_t*, ordinal)) \
  X(device_attribute, cuDeviceGetAttribute, true, result(int*, int, ordinal)) \
  X(device_uuid, cuDeviceGetUuid_v2, false, result(uuid*, ordinal)) \
  X(device_bus, cuDeviceGetPCIBusId, false, result(char*, int, ordinal)) \
  X(can_access_peer, cuDeviceCanAccessPeer, true, result(int*, ordinal, ordinal)) \
  X(retain_context, cuDevicePrimaryCtxRetain, true, result(context_handle*, ordinal)) \
  X(set_context, cuCtxSetCurrent, true, result(context_handle)) \
  X(get_context, cuCtxGetCurrent, true, result(context_handle*)) \
  X(enable_peer, cuCtxEnablePeerAccess, true, result(context_handle, unsigned)) \
  X(allocate, cuMemAlloc_v2, true, result(device_address*, std::size_t)) \
  X(free, cuMemFree_v2, true, result(device_address)) \
  X(allocate_from_pool, cuMemAllocFromPoolAsync, false, result(device_address*, std::size_t, pool_handle, \
    stream_handle)) \
  X(free_in_stream, cuMemFreeAsync, false, result(device_address, stream_handle)) \
  X(create_pool, cuMemPoolCreate, false, result(pool_handle*, const pool_properties*)) \
  X(set_pool, cuMemPoolSetAttribute, false, result(pool_handle, int, void*)) \
  X(set_pool_access, cuMemPoolSetAccess, false, result(pool_handle, const pool_access*, std::size_t)) \
  X(trim_pool, cuMemPoolTrimTo, false, result(pool_handle, std::size_t)) \
  X(allocate_host, cuMemHostAlloc, true, result(void**, std::size_t, unsigned)) \
  X(free_host, cuMemFreeHost, true, result(void*)) \
  X(address_of_host, cuMemHostGetDevicePointer_v2, true, result(device_address*, void*, unsigned)) \
  X(pointer_attribute, cuPointerGetAttribute, true, result(void*, int, device_address)) \
  X(write, cuMemcpyHtoDAsync_v2, true, result(device_address, const void*, std::size_t, stream_handle)) \
  X(read, cuMemcpyDtoHAsync_v2, true, result(void*, device_address, std::size_t, stream_handle)) \
  X(copy, cuMemcpyDtoDAsync_v2, true, result(device_address, device_address, std::size_t, stream_handle)) \
  X(copy_to_peer, cuMemcpyPeerAsync, true, result(device_address, context_handle, device_address, \
    context_handle, std::size_t, stream_handle)) \
  X(copy_box, cuMemcpy3DPeerAsync, true, result(const box_copy*, stream_handle)) \
  X(fill_8, cuMemsetD8Async, true, result(device_address, unsigned char, std::size_t, stream_handle)) \
  X(fill_16, cuMemsetD16Async, true, result(device_address, unsigned short, std::size_t, stream_handle)) \
  X(fill_32, cuMemsetD32Async, true, result(device_address, unsigned, std::size_t, stream_handle)) \
  X(fill_column_32, cuMemsetD2D32Async, true, result(device_address, std::size_t, unsigned, std::size_t, \
    std::size_t, stream_handle)) \
  X(create_stream, cuStreamCreate, true, result(stream_handle*, unsigned)) \
  X(query_stream, cuStreamQuery, true, result(stream_handle)) \
  X(synchronize_stream, cuStreamSynchronize, true, result(stream_handle)) \
  X(wait_in_stream, cuStreamWaitEvent, true, result(stream_handle, event_handle, unsigned)) \
  X(write_in_stream, cuStreamWriteValue32_v2, false, result(stream_handle, device_address, std::uint32_t, unsigned)) \
  X(call_in_stream, cuLaunchHostFunc, true, result(stream_handle, host_function, void*)) \
  X(create_event, cuEventCreate, true, result(event_handle*, unsigned)) \
  X(destroy_event, cuEventDestroy_v2, true, result(event_handle)) \
  X(record_event, cuEventRecord, true, result(event_handle, stream_handle)) \
  X(query_event, cuEventQuery, true, result(event_handle)) \
  X(milliseconds_between, cuEventElapsedTime, false, result(float*, event_handle, event_handle)) \
  X(load_module, cuModuleLoadDataEx, true, result(module_handle*, const void*, unsigned, int*, void**)) \
  X(unload_module, cuModuleUnload, true, result(module_handle)) \
  X(function, cuModuleGetFunction, true, result(function_handle*, module_handle, const char*)) \
  X(function_attribute, cuFuncGetAttribute, false, result(int*, int, function_handle)) \
  X(set_function, cuFuncSetAttribute, true, result(function_handle, int, int)) \
  X(launch, cuLaunchKernel, true, result(function_handle, unsigned, unsigned, unsigned, unsigned, unsigned, \
    unsigned, unsigned, stream_handle, void**, void**)) \
  X(begin_capture, cuStreamBeginCapture_v2, false, result(stream_handle, int)) \
  X(end_capture, cuStreamEndCapture, false, result(stream_handle, graph_handle*)) \
  X(make_launchable, cuGraphInstantiateWithFlags, false, result(launchable_graph*, graph_handle, unsigned long long)) \
  X(launch_graph, cuGraphLaunch, false, result(launchable_graph, stream_handle)) \
  X(destroy_launchable, cuGraphExecDestroy, false, result(launchable_graph)) \
  X(destroy_graph, cuGraphDestroy, false, result(graph_handle))

#define AMITY_NVRTC_FUNCTIONS(X) \
  X(version, nvrtcVersion, true, result(int*, int*)) \
  X(error_text, nvrtcGetErrorString, true, const char*(result)) \
  X(architecture_count, nvrtcGetNumSupportedArchs, true, result(int*)) \
  X(architectures, nvrtcGetSupportedArchs, true, result(int*)) \
  X(create, nvrtcCreateProgram, true, result(compilation*, const char*, const char*, int, const char* const*, \
    const char* const*)) \
  X(destroy, nvrtcDestroyProgram, true, result(compilation*)) \
  X(compile, nvrtcCompileProgram, true, result(compilation, int, const char* const*)) \
  X(log_size, nvrtcGetProgramLogSize, true, result(compilation, std::size_t*)) \
  X(log, nvrtcGetProgramLog, true, result(compilation, char*)) \
  X(ptx_size, nvrtcGetPTXSize, true, result(compilation, std::size_t*)) \
  X(ptx, nvrtcGetPTX, true, result(compilation, char*)) \
  X(cubin_size, nvrtcGetCUBINSize, true, result(compilation, std::size_t*)) \
  X(cubin, nvrtcGetCUBIN, true, result(compilation, char*))
// clang-format on

}  // namespace amity::accel::cuda
