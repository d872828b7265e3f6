// Variables whose names look like settings but are none: OMP_NUM_THREAD, AMITY_THREAD. Most are misspelt, and what the
// user asked for does not happen.
//
//   warn_of_unknown(environ);
//
// Looked at are OMP_*, GOMP_*, KMP_* and AMITY_*. Known are the rows of the table, their names for devices (_ALL, _DEV,
// _DEV_2), and what other runtimes and tools read that has nothing to do with the host's threads.
#pragma once

#include <cstddef>

namespace amity::omp {

// `name` need not end in a zero.
[[nodiscard]] bool looks_like_a_setting(const char* name, std::size_t length) noexcept;
[[nodiscard]] bool is_known_name(const char* name, std::size_t length) noexcept;

// The setting whose name is nearest, or null: none is near. What has no effect here is not suggested.
[[nodiscard]] const char* nearest_setting(const char* name, std::size_t length) noexcept;

// One line on stderr for each unknown variable among `variables`, which have the form of `environ`. Those of AMITY_*
// may have been said by the scheduler.
void warn_of_unknown(const char* const* variables) noexcept;

}  // namespace amity::omp
