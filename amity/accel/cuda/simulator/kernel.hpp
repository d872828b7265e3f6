#pragma once

/// What a library of compiled kernels tells the driver. compiler.cpp has each one export a table of these.

#include <cstddef>

namespace amity::accel::cuda::simulator {

struct three {
  unsigned x = 1, y = 1, z = 1;
};
/// Where the work item that runs is; kernels read it as threadIdx and so on.
struct place {
  three thread, block, block_size, grid;
};

struct kernel {
  const char* name;  ///< linker name; null: the end of the table
  void (*run)(void** arguments);
  unsigned parameters;
  const std::size_t* sizes;
  const char* const* types;  ///< of PTX: "u64", "f32", "b8"
  bool has_barriers;
  void* address;
};

/// Exported by each library of kernels, under these names.
using table = const kernel* (*)();   ///< amity_kernels
using place_of_item = place* (*)();  ///< amity_place
using barrier_hook = void (**)();    ///< amity_barrier

}  // namespace amity::accel::cuda::simulator
