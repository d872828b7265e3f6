#pragma once

/// What the runtime has done so far and does now, by names like HPX's.
///
///     amity::counters::read("/threads/count/cumulative");     // tasks that have ended; nothing: there is no such name
///     for (auto& c : amity::counters::all()) print(c.name, amity::counters::read(c.name), c.unit, c.meaning);
///
/// AMITY_COUNTERS=all, or a list of names with commas, prints them when the program ends (`amity run --counters`).
/// Reading costs the reader some memory accesses for each thread, and those who are counted nothing.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "amity/base/config.hpp"

namespace amity::counters {

/// A counter.
struct counter {
  std::string_view name;     ///< "/threads/count/cumulative"
  std::string_view unit;     ///< of the value; empty: a number of things
  std::string_view meaning;  ///< in a few words
};

/// All there are, in the order in which they are printed.
[[nodiscard]] AMITY_API std::span<const counter> all() noexcept;

/// The value now. HPX's instance in braces, as in "/threads{locality#0/total}/count/cumulative", may stand there and
/// means nothing: the values are the process's.
[[nodiscard]] AMITY_API std::optional<std::uint64_t> read(std::string_view name) noexcept;

}  // namespace amity::counters
