#pragma once

/// Sizes of grids and blocks.
///
///     kernel({.grid = {width / 16, height / 16}, .block = {16, 16}}, image, width);

#include <cstddef>
#include <cstdint>
#include <limits>

#include "amity/base/language.hpp"

namespace amity::accel {

/// Up to three sizes; those that are not said are 1.
struct dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  constexpr dim3() noexcept = default;
  constexpr dim3(std::uint32_t x_size, std::uint32_t y_size = 1, std::uint32_t z_size = 1) noexcept
      : x(x_size), y(y_size), z(z_size) {}
  /// How many there are of all; the largest number, if there are more than a number can say.
  [[nodiscard]] constexpr std::uint64_t count() const noexcept {
    std::uint64_t const rows = std::uint64_t{x} * y, most = std::numeric_limits<std::uint64_t>::max();
    return z == 0 || rows <= most / z ? rows * z : most;
  }
  friend constexpr bool operator==(const dim3&, const dim3&) noexcept = default;
};

/// A box of bytes within a buffer or within the host's memory: where it begins, and how far apart its rows and slices
/// are. The x of `origin` is bytes. A pitch of 0: rows, or slices, lie behind one another.
struct box {
  std::size_t origin[3] = {0, 0, 0};
  std::size_t row_pitch = 0;
  std::size_t slice_pitch = 0;
};

}  // namespace amity::accel
