// CUDA's own functions: the driver's, which is opened at run time, and the run-time compiler's.
#include <cuda.h>
#include <dlfcn.h>
#include <nvrtc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "devices/devices.hpp"
#include "devices/kernels.hpp"
#include "devices/native.hpp"

namespace devices::native {
namespace {

// clang-format off
#define DEVICES_FUNCTIONS(X) \
  X(cuInit) X(cuDeviceGetCount) X(cuDeviceGet) X(cuDeviceGetAttribute) X(cuDevicePrimaryCtxRetain) \
  X(cuCtxSetCurrent) X(cuModuleLoadDataEx) X(cuModuleGetFunction) X(cuStreamCreate) X(cuStreamSynchronize) \
  X(cuMemAlloc) X(cuMemFree) X(cuMemcpyHtoDAsync) X(cuMemcpyDtoHAsync) X(cuMemsetD8Async) X(cuLaunchKernel)
// clang-format on
/// By the names that cuda.h makes of these: cuMemAlloc is cuMemAlloc_v2.
#define DEVICES_NAME(name) #name
#define DEVICES_SYMBOL(name) DEVICES_NAME(name)
#define DEVICES_MEMBER(name) decltype(&::name) name = nullptr;
#define DEVICES_FIND(name) driver.name = reinterpret_cast<decltype(&::name)>(dlsym(library, DEVICES_SYMBOL(name)));
struct functions {
  DEVICES_FUNCTIONS(DEVICES_MEMBER)
};
functions driver;

bool open_driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  DEVICES_FUNCTIONS(DEVICES_FIND)
  return driver.cuInit != nullptr && driver.cuMemsetD8Async != nullptr;
}

void check(int code, const char* what) {
  if (code == 0) return;
  std::fprintf(stderr, "devices_cuda: %s: error %d\n", what, code);
  std::exit(2);
}

struct one_device {
  CUcontext context = nullptr;
  CUfunction kernels[kernel_count] = {};
};
std::vector<one_device> all;
CUstream queues[own_queues + most_devices];

one_device& device_of(int queue) { return all[queue < own_queues ? 0 : static_cast<std::size_t>(queue - own_queues)]; }
void choose(int queue) {
  static CUcontext current = nullptr;
  CUcontext const its = device_of(queue).context;
  if (current != its) check(driver.cuCtxSetCurrent(current = its), "cuCtxSetCurrent");
}

std::string compile(CUdevice d) {
  int major = 0, minor = 0;
  driver.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d);
  driver.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, d);
  std::string const architecture = "--gpu-architecture=sm_" + std::to_string(major * 10 + minor);
  nvrtcProgram program = nullptr;
  check(nvrtcCreateProgram(&program, kernel_text, "kernels", 0, nullptr, nullptr), "nvrtcCreateProgram");
  const char* options[] = {architecture.c_str(), "--std=c++17"};
  check(nvrtcCompileProgram(program, 2, options), "nvrtcCompileProgram");
  std::size_t n = 0;
  check(nvrtcGetCUBINSize(program, &n), "nvrtcGetCUBINSize");
  std::string code(n, '\0');
  check(nvrtcGetCUBIN(program, code.data()), "nvrtcGetCUBIN");
  nvrtcDestroyProgram(&program);
  return code;
}

one_device make_device(int number) {
  CUdevice d = 0;
  one_device made;
  check(driver.cuDeviceGet(&d, number), "cuDeviceGet");
  check(driver.cuDevicePrimaryCtxRetain(&made.context, d), "cuDevicePrimaryCtxRetain");
  check(driver.cuCtxSetCurrent(made.context), "cuCtxSetCurrent");
  CUmodule m = nullptr;
  check(driver.cuModuleLoadDataEx(&m, compile(d).c_str(), 0, nullptr, nullptr), "cuModuleLoadDataEx");
  for (int k = 0; k < kernel_count; ++k)
    check(driver.cuModuleGetFunction(&made.kernels[k], m, kernel_names[k]), kernel_names[k]);
  return made;
}

CUdeviceptr address(buffer* b) { return reinterpret_cast<CUdeviceptr>(b); }

}  // namespace

const char* begin() {
  if (chosen_backend() != backend::cuda) return "OpenCL's devices are measured (AMITY_DEVICES)";
  int n = 0;
  if (!open_driver() || driver.cuInit(0) != CUDA_SUCCESS || driver.cuDeviceGetCount(&n) != CUDA_SUCCESS || n == 0)
    return "there is no CUDA device";
  for (int i = 0; i < std::min(n, most_devices); ++i) all.push_back(make_device(i));
  for (int q = 0; q < own_queues + device_count(); ++q) {
    check(driver.cuCtxSetCurrent(device_of(q).context), "cuCtxSetCurrent");
    check(driver.cuStreamCreate(&queues[q], CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  }
  check(driver.cuCtxSetCurrent(all[0].context), "cuCtxSetCurrent");
  return nullptr;
}

int device_count() { return static_cast<int>(all.size()); }

buffer* allocate(int queue, std::size_t bytes) {
  choose(queue);
  CUdeviceptr made = 0;
  check(driver.cuMemAlloc(&made, bytes), "cuMemAlloc");
  return reinterpret_cast<buffer*>(made);
}
void release(buffer* b) { check(driver.cuMemFree(address(b)), "cuMemFree"); }

void write(int queue, buffer* to, const void* from, std::size_t bytes) {
  choose(queue);
  check(driver.cuMemcpyHtoDAsync(address(to), from, bytes, queues[queue]), "cuMemcpyHtoDAsync");
}
void read(int queue, void* to, buffer* from, std::size_t bytes) {
  choose(queue);
  check(driver.cuMemcpyDtoHAsync(to, address(from), bytes, queues[queue]), "cuMemcpyDtoHAsync");
}
void fill_with_zeros(int queue, buffer* b, std::size_t bytes) {
  choose(queue);
  check(driver.cuMemsetD8Async(address(b), 0, bytes, queues[queue]), "cuMemsetD8Async");
}
void launch(int queue, kernel k, unsigned grid_x, unsigned grid_y, unsigned block_x, unsigned block_y,
            std::initializer_list<argument> arguments) {
  choose(queue);
  CUdeviceptr addresses[8];
  void* places[8];
  std::size_t n = 0;
  for (const argument& a : arguments) {
    addresses[n] = address(a.memory);
    places[n] = a.memory != nullptr ? &addresses[n] : const_cast<void*>(a.value);
    ++n;
  }
  check(driver.cuLaunchKernel(device_of(queue).kernels[k], grid_x, grid_y, 1, block_x, block_y, 1, 0, queues[queue],
                              places, nullptr),
        kernel_names[k]);
}
void flush(int) {}
void finish(int queue) {
  choose(queue);
  check(driver.cuStreamSynchronize(queues[queue]), "cuStreamSynchronize");
}

}  // namespace devices::native
