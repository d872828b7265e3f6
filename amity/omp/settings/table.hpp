// The one list of every environment variable that Amity knows.
#pragma once

#include <cstddef>

#include "amity/omp/settings/settings.hpp"

namespace amity::omp {

// Variables that set the same thing; of those that are given, the one of highest rank counts.
enum class rivals : std::uint8_t { none, stack, spin, places, thread_limit, teams_limit, display, count };

struct setting_row {
  const char* name;
  const char* meaning;
  const char* allowed;  // completes "is not ..."
  // Reads the value into `s`; false: not understood, and `s` is as before. Null: known, and without effect here.
  bool (*parse)(const char* text, settings& s);
  void (*show)(const settings& s, char* into, std::size_t size);
  rivals group = rivals::none;
  int rank = 0;
  // parse == null only: whether the user must be told that it does nothing. False where nothing needs to be done.
  bool missed = false;
  // Its own module reads it, and warns.
  bool quiet = false;
  // What is used by default, where `show` has no word for it.
  const char* otherwise = nullptr;
  // The value is checked, but nothing follows from it: what it may ask for is always so.
  bool idle = false;
};

struct setting_table {
  const setting_row* rows;
  std::size_t count;
  const setting_row* begin() const noexcept { return rows; }
  const setting_row* end() const noexcept { return rows + count; }
};

[[nodiscard]] setting_table table() noexcept;
/// The variable that counts where the row's own is not set: NAME_ALL, which is for the host and all devices
/// (OpenMP 5.2, 21). Null: it has none.
[[nodiscard]] const char* name_for_all_devices(const setting_row& row) noexcept;

inline constexpr std::size_t most_rows = 160;

}  // namespace amity::omp
