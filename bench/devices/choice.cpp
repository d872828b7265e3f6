// Which kind of device is asked.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "devices/devices.hpp"

devices::backend devices::chosen_backend() {
  if (const char* const said = std::getenv("AMITY_DEVICES"); said != nullptr && *said != '\0')
    return std::strstr(said, "cuda") != nullptr ? backend::cuda : backend::opencl;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return backend::opencl;
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  int n = 0;
  bool const is_there = init != nullptr && count != nullptr && init(0) == 0 && count(&n) == 0 && n > 0;
  return is_there ? backend::cuda : backend::opencl;
}
