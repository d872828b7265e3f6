#pragma once

/// Sizes of grids and blocks.
///
///     kernel({.grid = {width / 16, height / 16}, .block = {16, 16}}, image, width);

#include <cstddef>
#include <cstdint>
#include <limits>

#include "amity/base/language.hpp"

namespace amity::accel {

/// Up to three sizes, such as `{16, 16}`; those that are not given are 1.
struct dim3 {
  std::uint32_t x = 1, y = 1, z = 1;  ///< the size in this dimension
  /// 1 in each dimension.
  constexpr dim3() noexcept = default;
  /// These sizes.
  constexpr dim3(std::uint32_t x_size, std::uint32_t y_size = 1, std::uint32_t z_size = 1) noexcept
      : x(x_size), y(y_size), z(z_size) {}
  /// The product of the sizes; the largest number of 64 bits, if that is too small for it.
  [[nodiscard]] constexpr std::uint64_t count() const noexcept {
    std::uint64_t const rows = std::uint64_t{x} * y, most = std::numeric_limits<std::uint64_t>::max();
    return z == 0 || rows <= most / z ? rows * z : most;
  }
  /// All three sizes are equal.
  friend constexpr bool operator==(const dim3&, const dim3&) noexcept = default;
};

/// Where a region of rows and slices lies within a buffer, or within the host's memory: where it begins, and how far
/// apart its rows and slices are. For example, `{.origin = {8, 2, 0}, .row_pitch = 64}` begins 8 bytes into the third
/// row of 64 bytes. Its size is said beside it (buffer::write_box).
struct box {
  std::size_t origin[3] = {0, 0, 0};  ///< bytes into a row, the row, the slice
  std::size_t row_pitch = 0;          ///< bytes from a row to the next; 0: as many as a row of the region has
  std::size_t slice_pitch = 0;        ///< bytes from a slice to the next; 0: as many as its rows take
};

}  // namespace amity::accel
