// Who takes part in a benchmark: its programs, found in the build or the installed tree, each with its own runtime and
// with Amity.
#pragma once

#include <string>
#include <vector>

#include "amity/cli/overheads.hpp"

namespace amity::cli {

// Finds them all; what is missing is told on stderr and left out. `error` says what in the options is wrong.
[[nodiscard]] std::vector<contender> find_contenders(const overheads_options& options, std::string& error);

// The environment that gives a contender its runtime, and no other by way of the caller's LD_LIBRARY_PATH or
// LD_PRELOAD.
[[nodiscard]] std::map<std::string, std::string> environment_of(const contender& one);

}  // namespace amity::cli
