// The contenders of a benchmark whose programs are several processes: Amity on each of its networks, and the MPIs that
// are installed, each by its own launcher.
#pragma once

#include <string>
#include <vector>

#include "amity/cli/benchmark.hpp"

namespace amity::cli {

// Finds them all; what is missing is told on stderr and left out. `error` says what in the options is wrong.
[[nodiscard]] std::vector<contender> find_process_contenders(const suite& of, const bench_options& options,
                                                             std::string& error);

// How they are called where others have to know them.
inline constexpr const char* amity_by_ucx = "amity(ucx)";
inline constexpr const char* amity_by_sockets = "amity(sockets)";
inline constexpr const char* yielding_mpi = "openmpi(yield)";
inline constexpr const char* raw_ucx = "ucx";

}  // namespace amity::cli
