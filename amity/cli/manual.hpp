// Pages of the manual, for man(1).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "amity/cli/interface.hpp"

namespace amity::cli {

// The name of each page's file ("amity-run.1"), and its text: one of the program, and one of each of its commands.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> manual_of(const command_facts& program,
                                                                         const std::string& version);

}  // namespace amity::cli
