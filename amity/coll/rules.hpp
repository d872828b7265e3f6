#pragma once

/// The table of algorithms (choice.hpp) that this process goes by: the built-in one, that of the file which
/// AMITY_COLLECTIVES names, or what the program says.
///
///     tuning::table t;
///     if (std::string wrong = tuning::parse_table(text, t); wrong.empty()) tuning::use_rules(t);
///
/// All processes of a job must go by the same table. An operation whose sites don't ends with collective_error.

#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/coll/choice.hpp"

namespace amity::collectives::tuning {

struct rules_in_use {
  table rules;
  std::uint64_t mark = 0;  ///< equal for equal tables; 0: the built-in one
};

/// Lasts as long as the process.
[[nodiscard]] AMITY_API const rules_in_use& rules_here() noexcept;

/// From the next operation on. All processes do so between the same operations, when none is in flight. Operations that
/// `rules` leaves out are done as by the built-in table.
AMITY_API void use_rules(const table& rules);

}  // namespace amity::collectives::tuning
