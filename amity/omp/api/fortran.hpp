// Fortran passes numbers by address: 4 bytes in the plain forms (omp_x_), 8 in libgomp's second ones (omp_x_8_), which
// programs compiled with 8-byte integers call.
#pragma once

#include <string.h>

#include <cstddef>
#include <cstdint>

namespace amity::omp::fortran {

using int4 = std::int32_t;
using int8 = std::int64_t;

// What does not fit becomes the nearest number that does, as in libgomp.
[[nodiscard]] inline int narrow(const int8* value) noexcept {
  if (*value > INT32_MAX) return INT32_MAX;
  return *value < INT32_MIN ? INT32_MIN : static_cast<int>(*value);
}

// Gives gfortran a result of the type character(:), pointer: null is not associated.
inline void give_string(const char* text, const char** string, std::size_t* length) noexcept {
  *string = text;
  *length = text == nullptr ? 0 : strlen(text);
}

}  // namespace amity::omp::fortran
