#pragma once

/// A file's bytes, or why they can't be read. By the system's calls: those of the standard library throw where a file
/// turns out to be a folder, and wait where it is a pipe.

#include <optional>
#include <string>

namespace amity::accel::detail {

/// Nothing: `why` says what the matter is.
[[nodiscard]] std::optional<std::string> read_file(const std::string& path, std::string& why);

}  // namespace amity::accel::detail
