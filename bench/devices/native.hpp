// What the drivers have in common, as thinly as can be: native.cpp solves the problems with it, opencl.cpp and cuda.cpp
// are the drivers. Whatever it costs, an indirection, both pay.
#pragma once

#include <cstddef>
#include <initializer_list>

namespace devices::native {

enum kernel { one_more, stencil, part, busy, picture, multiply, add, triad, dgemm, smvp, kernel_count };
inline constexpr const char* kernel_names[] = {"one_more", "stencil", "part",  "busy",  "picture",
                                               "multiply", "add",     "triad", "dgemm", "smvp"};

/// Queues of the device: as many as there are partitions. Then one for each of the devices that share a problem.
inline constexpr int own_queues = 4, most_devices = 4;

struct buffer;  ///< of the driver's

struct argument {
  buffer* memory = nullptr;  ///< or a value
  const void* value = nullptr;
  std::size_t bytes = 0;
};
inline argument of(buffer* b) { return {b, nullptr, 0}; }
template <class T>
argument of(const T& value) {
  return {nullptr, &value, sizeof value};
}

const char* begin();  ///< null, or why there is no device
int device_count();
buffer* allocate(int queue, std::size_t bytes);
void release(buffer* b);
// None of these waits. Memory of the host stays until `finish`.
void write(int queue, buffer* to, const void* from, std::size_t bytes);
void read(int queue, void* to, buffer* from, std::size_t bytes);
void fill_with_zeros(int queue, buffer* b, std::size_t bytes);
void launch(int queue, kernel k, unsigned grid_x, unsigned grid_y, unsigned block_x, unsigned block_y,
            std::initializer_list<argument> arguments);
void flush(int queue);
void finish(int queue);

}  // namespace devices::native
