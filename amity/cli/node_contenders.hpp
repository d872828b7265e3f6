// The contenders of a benchmark over several nodes: Amity by pages and by shared memory, and one process with as many
// threads on each OpenMP runtime.
#pragma once

#include <string>
#include <vector>

#include "amity/cli/benchmark.hpp"

namespace amity::cli {

// Finds them all; what is missing is told on stderr and left out. `error` says what in the options is wrong.
[[nodiscard]] std::vector<contender> find_node_contenders(const suite& of, const bench_options& options,
                                                          std::string& error);

}  // namespace amity::cli
