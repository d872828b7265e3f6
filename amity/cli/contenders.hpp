// The contenders of a benchmark: its programs, found in the build or the installed tree, each with its own runtime and
// with Amity.
#pragma once

#include <string>
#include <vector>

#include "amity/cli/benchmark.hpp"

namespace amity::cli {

// Finds them all; what is missing is told on stderr and left out. `error` says what in the options is wrong.
[[nodiscard]] std::vector<contender> find_contenders(const suite& of, const bench_options& options, std::string& error);

// What to do where none of the suite's programs is there; nothing when one is.
[[nodiscard]] std::string lack_of_programs(const suite& of, const bench_options& options);
// What is wrong with a rival that is a program of its own; nothing when the suite has it.
[[nodiscard]] std::string wrong_rival(const suite& of, const std::string& name);

// A file that belongs to the benchmarks, in `given` or, if that is empty, where the build or the installation puts
// them; empty when it is not there.
[[nodiscard]] std::string find_bench_file(const std::string& given, const std::string& name);

// The environment that gives a contender its runtime, and no other by way of the caller's LD_LIBRARY_PATH or
// LD_PRELOAD.
[[nodiscard]] std::map<std::string, std::string> environment_of(const contender& one);

}  // namespace amity::cli
