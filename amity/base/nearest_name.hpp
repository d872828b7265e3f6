#pragma once

/// Which of some names a mistyped one was meant to be.
///
///     base::nearest_name nearest("OMP_NUM_THREAD");
///     for (const char* each : known) nearest.look_at(each);
///     if (nearest.found() != nullptr) ...   // "OMP_NUM_THREADS"

#include <cstddef>

#include "amity/base/config.hpp"

namespace amity::base {

/// How many letters have to be put in, left out, changed, or swapped with their neighbour to make one of the other (the
/// distance of Damerau and Levenshtein, each letter being touched once). More than `most` come to most + 1. Names of
/// more than 63 letters are never near.
[[nodiscard]] std::size_t edits_between(const char* a, const char* b, std::size_t most) noexcept;

/// Says of a variable that it is no setting, and which one it was meant to be; null: none is near.
AMITY_API void warn_of_unknown_setting(const char* name, const char* meant) noexcept;

class AMITY_API nearest_name {
 public:
  /// Near is what needs no more edits than one for each four letters.
  explicit nearest_name(const char* given) noexcept;
  void look_at(const char* known) noexcept;
  /// Null: none is near.
  [[nodiscard]] const char* found() const noexcept { return found_; }

 private:
  const char* given_;
  std::size_t most_;
  const char* found_ = nullptr;
};

}  // namespace amity::base
