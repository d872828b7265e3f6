#pragma once

/// A line of PMI-1: "cmd=get_result rc=0 value=what was put". Both ends read it, a rank (pmi1.cpp) and the launcher.

#include <string>

namespace amity::launching {

/// What the line has behind "name=", up to the next blank; `to_the_end`: up to the line's end, since a value may have
/// blanks. Empty where there is no such name.
[[nodiscard]] inline std::string field_of(const std::string& line, const std::string& name, bool to_the_end = false) {
  std::string const start = name + "=";
  for (std::size_t at = line.find(start); at != std::string::npos; at = line.find(start, at + 1)) {
    if (at != 0 && line[at - 1] != ' ') continue;
    std::size_t const from = at + start.size();
    return line.substr(from, to_the_end ? std::string::npos : line.find(' ', from) - from);
  }
  return {};
}

}  // namespace amity::launching
