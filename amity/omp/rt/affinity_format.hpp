// Where a thread runs, said in the form that OMP_AFFINITY_FORMAT or omp_set_affinity_format() asks for.
#pragma once

#include <cstddef>

#include "amity/omp/rt/thread.hpp"

namespace amity::omp {

// Writes what `format` says about `t`, which must be the calling thread; null or empty: the format in force. Cut to
// `size` bytes with the terminating zero; returns the length that all of it has.
std::size_t format_affinity(const thread& t, const char* format, char* into, std::size_t size) noexcept;

// A line of it on standard output; for OMP_DISPLAY_AFFINITY, too.
void display_affinity(const thread& t, const char* format = nullptr) noexcept;

}  // namespace amity::omp
