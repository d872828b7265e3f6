#pragma once

/// Has Amity find the simulated libraries. A library that is open is found by its name, wherever it lies.

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "amity/accel/cuda/simulator/simulator.hpp"

#ifndef AMITY_CUDA_SIMULATOR
#define AMITY_CUDA_SIMULATOR "build/simulator"  // the folder; the build says where it is
#endif

namespace amity::accel::cuda::simulator {

/// Before the first question for devices.
inline void* open() {
  static void* const driver = [] {
    void* const opened = dlopen(AMITY_CUDA_SIMULATOR "/libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (opened == nullptr || dlopen(AMITY_CUDA_SIMULATOR "/libnvrtc.so.13", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::abort();
    }
    return opened;
  }();
  return driver;
}

inline void open_where_no_driver_is() {
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) == nullptr) open();
}

inline controls& control() {
  static auto& its = *reinterpret_cast<decltype(&amity_simulated_cuda)>(dlsym(open(), "amity_simulated_cuda"))();
  return its;
}

}  // namespace amity::accel::cuda::simulator
