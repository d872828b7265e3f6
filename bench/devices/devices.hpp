// The problems of this folder: what is asked of a device, by its driver's own functions and by Amity. All compile the
// same kernels (kernels.hpp), use the same sizes, and check the same answers.
//
//   const idiom this_idiom = {.begin = begin, .launch = launch, ...};
#pragma once

#include <cstddef>
#include <vector>

namespace devices {

inline constexpr unsigned items = 64;  ///< of the short kernels
inline constexpr unsigned busy_steps = 1u << 17;
inline constexpr unsigned partitions = 4;
inline constexpr unsigned iterations = 256;  ///< of a point of a picture
inline constexpr unsigned stream_rounds = 10;
inline constexpr unsigned product_rounds = 10;
inline constexpr float stream_factor = 3;

/// Which kind of device is asked: by AMITY_DEVICES, as Amity takes it; else CUDA's, if there is one, else OpenCL's.
enum class backend { opencl, cuda };
[[nodiscard]] backend chosen_backend();

/// A sparse matrix in rows.
struct sparse_matrix {
  std::vector<unsigned> begins;  ///< of each row; one more: the end
  std::vector<unsigned> columns;
  std::vector<double> values;
};

using image = std::vector<unsigned char>;
/// As a PNG, in memory; its size. 0: there is no library for that.
[[nodiscard]] std::size_t encode(const image& pixels, unsigned size);

/// All but `begin` wait for their results.
struct idiom {
  const char* (*begin)();                           ///< finds a device, compiles; null, or why there is none
  int (*device_count)();                            ///< devices, or parts of one, that can share a problem
  unsigned (*launch)(int n);                        ///< n launches of one_more, each awaited; the value
  unsigned (*chain)(int n);                         ///< n launches of one_more, the last awaited; the value
  unsigned (*graph)(int n);                         ///< the same as chain, told beforehand, where that is possible
  unsigned (*write_read)(int n, std::size_t size);  ///< n times values there and back; the last
  unsigned (*busy)(int n);                          ///< n launches of busy, each awaited; the value
  void (*stencil)(const std::vector<float>& in, std::vector<float>& out);
  /// All parts are written, all computed, all read, each on a stream of its own (Algorithm 1 of the HPXCL paper).
  void (*partition)(std::vector<float>& x);
  /// The same, each part on one of `n` devices.
  void (*share)(std::vector<float>& x, int n);
  /// Computes the pictures one after the other, and encodes each: before the next is computed, or beside it. The sizes
  /// of the files, added.
  std::size_t (*pictures)(const std::vector<unsigned>& sizes, bool beside);
  /// STREAM's multiply, add and triad on values that stay on the device; a[0].
  float (*stream)(std::size_t n);
  void (*dgemm)(const std::vector<double>& a, const std::vector<double>& b, std::vector<double>& c, unsigned n);
  /// y = m x, and again with y for x.
  void (*smvp)(const sparse_matrix& m, const std::vector<double>& x, std::vector<double>& y);
};

extern const idiom this_idiom;

}  // namespace devices
