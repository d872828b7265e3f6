// The problems of this folder: what is asked of a device, by the driver's own functions and by Amity. Both compile the
// same kernels, use the same sizes, and check the same answers.
//
//   const idiom this_idiom = {.begin = begin, .launch = launch, ...};
#pragma once

#include <cstddef>
#include <vector>

namespace devices {

/// Each is `kernel_text`'s.
inline constexpr const char* kernel_text = R"(
__kernel void one_more(__global unsigned* x) { x[get_global_id(0)] += 1; }
__kernel void stencil(__global const float* in, __global float* out, unsigned n) {
  for (unsigned i = get_global_id(0); i < n; i += get_global_size(0)) {
    float const left = i > 0 ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;
    out[i] = 0.5f * left + in[i] + 0.5f * right;
  }
}
__kernel void part(__global float* x, unsigned offset) {
  unsigned const i = get_global_id(0);
  float const s = sin((float)(i + offset)), c = cos((float)(i + offset));
  x[i] = x[i] + sqrt(s * s + c * c);
}
__kernel void busy(__global unsigned* x, unsigned steps) {
  unsigned v = x[get_global_id(0)];
  for (unsigned i = 0; i < steps; ++i) v = v * 1664525u + 1013904223u;
  x[get_global_id(0)] = v;
}
)";

inline constexpr std::size_t items = 64;  ///< of the short kernels
inline constexpr unsigned busy_steps = 1u << 17;

/// All but `begin` wait for their results.
struct idiom {
  const char* (*begin)();                           ///< finds a device, compiles; null, or why there is none
  unsigned (*launch)(int n);                        ///< n launches of one_more, each awaited; the value
  unsigned (*chain)(int n);                         ///< n launches of one_more, the last awaited; the value
  unsigned (*write_read)(int n, std::size_t size);  ///< n times values there and back; the last
  void (*stencil)(const std::vector<float>& in, std::vector<float>& out);
  /// Four partitions: all are written, all computed, all read (Algorithm 1 of the HPXCL paper).
  void (*partition)(std::vector<float>& x);
  unsigned (*busy)(int n);  ///< n launches of busy, each awaited; the value
};

extern const idiom this_idiom;

}  // namespace devices
