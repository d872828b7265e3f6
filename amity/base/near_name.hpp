// The name that was meant: for words to a user who has misspelt one.
//
//   const char* const names[] = {"AMITY_THREADS", "AMITY_STATS"};
//   base::nearest_name("AMITY_THREAD", names);      // "AMITY_THREADS"; null where none is near
#pragma once

#include <span>
#include <string_view>

#include "amity/base/config.hpp"

namespace amity::base {

// Near is what one to three letters, the more the longer the name is behind its prefix, make of it.
[[nodiscard]] AMITY_API const char* nearest_name(std::string_view name, std::span<const char* const> names) noexcept;

// One line on stderr: the environment has a variable of this name, which is no setting. `nearest`: null, or the setting
// that may have been meant.
AMITY_API void warn_of_unknown_variable(std::string_view name, const char* nearest) noexcept;

// What build systems and module files tell each other has such names too: OMP_CFLAGS, AMITY_ROOT.
[[nodiscard]] AMITY_API bool is_for_build_systems(std::string_view name) noexcept;

}  // namespace amity::base
