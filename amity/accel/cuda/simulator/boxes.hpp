#pragma once

/// CUDA_MEMCPY3D_PEER: what cuda.h asks of its fields, and the copy.

#include "amity/accel/cuda/simulator/memory.hpp"

namespace amity::accel::cuda::simulator {

/// cuda.h would take a height of 0 where there is one slice only; Amity always says it.
inline int is_right_side(const box_copy::side& s, const box_copy& b) {
  constexpr std::size_t most_pitch = 0x7fffffff;  // CU_DEVICE_ATTRIBUTE_MAX_PITCH
  if (s.level != 0 || s.array != nullptr || s.context == nullptr || !is_alive(s.context)) return invalid_value;
  if (s.pitch > most_pitch || s.x_bytes > s.pitch || b.width_bytes > s.pitch - s.x_bytes) return invalid_value;
  if (s.y > s.height || b.height > s.height - s.y) return invalid_value;
  std::size_t first = 0, last = 0;  // rows
  if (__builtin_mul_overflow(s.z, s.height, &first) || __builtin_add_overflow(first, s.y, &first) ||
      __builtin_mul_overflow(b.depth - 1, s.height, &last) || __builtin_add_overflow(last, b.height - 1, &last))
    return invalid_value;
  std::size_t begin = 0, bytes = 0;
  if (__builtin_mul_overflow(first, s.pitch, &begin) || __builtin_add_overflow(begin, s.x_bytes, &begin) ||
      __builtin_mul_overflow(last, s.pitch, &bytes) || __builtin_add_overflow(bytes, b.width_bytes, &bytes))
    return invalid_value;
  if (s.memory_type == host_memory) return is_of_the_host(static_cast<const std::byte*>(s.host) + begin, bytes);
  if (s.memory_type != device_memory) return invalid_value;
  allocation const its = memory().of_device(s.device + begin);
  return unless(covers(its, s.device + begin, bytes) && its.device == s.context->device, invalid_value);
}

inline int is_right(const box_copy* b) {
  if (b == nullptr || b->width_bytes == 0 || b->height == 0 || b->depth == 0) return invalid_value;
  return first_of(is_right_side(b->from, *b), is_right_side(b->to, *b));
}

inline void copy_box_now(const box_copy& b) {
  const auto address = [](const box_copy::side& s) {
    auto* const begin = s.memory_type == host_memory ? static_cast<std::byte*>(const_cast<void*>(s.host))
                                                     : reinterpret_cast<std::byte*>(s.device);
    return begin + s.x_bytes + s.y * s.pitch + s.z * s.pitch * s.height;
  };
  for (std::size_t z = 0; z < b.depth; ++z)
    for (std::size_t y = 0; y < b.height; ++y)
      memcpy(address(b.to) + y * b.to.pitch + z * b.to.pitch * b.to.height,
             address(b.from) + y * b.from.pitch + z * b.from.pitch * b.from.height, b.width_bytes);
}

}  // namespace amity::accel::cuda::simulator
