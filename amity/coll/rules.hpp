#pragma once

/// The table of algorithms (choice.hpp) that this process goes by: the built-in one, that of the file which
/// AMITY_COLLECTIVES names, or what the program says.
///
///     tuning::table t;
///     if (std::string wrong = tuning::parse_table(text, t); wrong.empty()) tuning::use_rules(t);
///
/// All processes of a job must go by the same table. An operation whose sites don't ends with collective_error.

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include "amity/base/config.hpp"
#include "amity/coll/choice.hpp"

namespace amity::collectives::tuning {

/// A table and its mark.
struct rules_in_use {
  /// `its_mark`: that of this table.
  rules_in_use(table all, std::uint64_t its_mark);
  table rules;         ///< all rules, the built-in ones of operations that were left out among them
  std::uint64_t mark;  ///< equal for equal tables; 0: the built-in one
  /// The rules of one operation alone: some look at each call.
  [[nodiscard]] std::span<const rule> of(operation o) const noexcept {
    return by_operation_[static_cast<std::size_t>(o)];
  }

 private:
  std::array<table, std::size(operation_names)> by_operation_;
};

/// The table that this process goes by now. The reference is valid as long as the process lives.
[[nodiscard]] AMITY_API const rules_in_use& rules_here() noexcept;

/// Goes by `rules` from the next operation on. Operations that `rules` leaves out are done as by the built-in table.
/// Waits for nobody.
/// Requires: all processes call it with the same rules, between the same operations, when none is in flight.
AMITY_API void use_rules(const table& rules);

}  // namespace amity::collectives::tuning
