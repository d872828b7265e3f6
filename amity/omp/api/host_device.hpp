// The one device there is, by its numbers.
#pragma once

namespace amity::omp {

/// The standard's, which is also the number of other devices; omp_initial_device; and gcc's omp_default_device.
[[nodiscard]] constexpr bool is_host(int device) noexcept { return device == 0 || device == -1 || device == -5; }

}  // namespace amity::omp
