// One field of an affinity format: "%0.8n", "%{thread_num}". Read by the environment, which checks a format, and by
// those who fill it in.
//
//   if (*format == '%') { ++format; affinity_field f; take_affinity_field(format, f); ... }
#pragma once

#include <cstddef>

namespace amity::omp {

struct affinity_field {
  static constexpr std::size_t widest = 1024;

  bool zeros = false;  // digits are padded with zeros
  bool right = false;  // aligned to the right
  std::size_t width = 0;
  char type = 0;  // the letter; 0: one that OpenMP doesn't know
};

// Reads what stands behind a '%' at `format`, which is moved behind it. False: it has no end, or its width is beyond
// all reason and was cut to `widest`.
bool take_affinity_field(const char*& format, affinity_field& field) noexcept;

}  // namespace amity::omp
