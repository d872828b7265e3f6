#pragma once

/// What a source includes, put into it: so it is compiled wherever it goes, and the cache knows all of it.
///
/// A directive `#include "name"` or `<name>` is replaced by the file's text, if one of the folders has it; `#line` has
/// the compiler's messages name the file. Others stay for the compiler, such as headers of its own. Conditions are not
/// looked at: a file that is included where no compiler would look is put there as well, and skipped there.

#include <string>
#include <string_view>
#include <vector>

namespace amity::accel::detail {

struct whole_source {
  std::string text;
  bool is_whole = true;  ///< nothing is left to the compiler
};
/// `name`: for messages. `is_file`: it is a path, and its folder is searched for names in quotes, before `folders`.
[[nodiscard]] whole_source with_includes(std::string_view source, const std::string& name, bool is_file,
                                         const std::vector<std::string>& folders);

}  // namespace amity::accel::detail
