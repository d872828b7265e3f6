#pragma once

/// AMITY_* variables that are no settings, as AMITY_THREAD: a word to the user, in programs of C++ alone, too. In those
/// of OpenMP, its settings say it (omp/settings/unknown.hpp), with those of other prefixes.

#include <string_view>

#include "amity/base/config.hpp"

namespace amity::sched {

/// True for the first who asks in this process: it is theirs to look at the AMITY_* variables.
[[nodiscard]] AMITY_API bool claim_unknown_names() noexcept;

/// Known here: a setting, or what Amity's own parts, tests and scripts read.
[[nodiscard]] AMITY_API bool is_known_amity_name(std::string_view name) noexcept;

}  // namespace amity::sched
