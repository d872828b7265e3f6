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

/// What a kernel needs beside.
struct needs {
  unsigned most_threads;   ///< of a block, as __launch_bounds__ says it; 0: it says nothing
  const char* shared;      ///< its own shared memory: from here
  const char* shared_end;  ///< to there
};

/// What a library was compiled for.
struct target {
  int architecture;  ///< 90
  int version;       ///< of the compiler: 13000
};

/// Exported by each library of kernels, under these names.
using table = const kernel* (*)();                      ///< amity_kernels
using place_of_item = place* (*)();                     ///< amity_place
using barrier_hook = void (**)();                       ///< amity_barrier
constexpr const char* name_of_target = "amity_target";  ///< a target
constexpr const char* name_of_needs = "amity_needs";    ///< of each kernel, in the order of the table

/// The simulated PTX has the library's bytes, as digits behind these words.
constexpr const char* words_before_code = "// code: ";

}  // namespace amity::accel::cuda::simulator
