#pragma once

/// Compiled programs on disk, so that the next process need not compile them.
///
/// An entry is a file, named after a hash of all that the result depends on: source, prelude, options, device, driver.
/// It holds all of that too, and a checksum, and is taken only if they agree. It is written under another name and
/// renamed, so several processes may write the same. The folder is the user's alone: one of another owner, or one that
/// others may write, is not used. A disk that is full or can't be written costs the entry.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "amity/accel/backend.hpp"

namespace amity::accel::detail {

/// What a back-end needs to have a program again.
struct program_entry {
  std::vector<std::byte> binary;
  std::vector<std::pair<std::string, kernel_signature>> signatures;
};

[[nodiscard]] std::vector<std::byte> pack_program(const program_entry& e);
/// Of bytes that make no sense: an entry without a binary.
[[nodiscard]] program_entry unpack_program(const std::vector<std::byte>& bytes);

class program_cache {
 public:
  /// `rest`: whatever else the result depends on.
  program_cache(const program_text& text, const std::string& prelude, const std::string& rest);

  [[nodiscard]] std::optional<program_entry> find() const;
  void keep(const program_entry& e) const;

  /// AMITY_CACHE; else `amity` in XDG_CACHE_HOME, else in ~/.cache. "": there is none.
  [[nodiscard]] static std::string folder();

 private:
  [[nodiscard]] std::string path() const;

  std::string key_;     ///< "": it can't be kept, since not all of what it includes is known
  std::string folder_;  ///< "": not to be used
};

}  // namespace amity::accel::detail
