// Fortran passes numbers by address: 4 bytes in the plain forms (omp_x_), 8 in libgomp's second ones (omp_x_8_), which
// programs compiled with 8-byte integers call.
#pragma once

#include <cstdint>

namespace amity::omp::fortran {

using int4 = std::int32_t;
using int8 = std::int64_t;

// What does not fit becomes the nearest number that does, as in libgomp.
[[nodiscard]] inline int narrow(const int8* value) noexcept {
  if (*value > INT32_MAX) return INT32_MAX;
  return *value < INT32_MIN ? INT32_MIN : static_cast<int>(*value);
}

}  // namespace amity::omp::fortran
