// Which ratios are too high: what Amity promises of messages and collective operations, beside whom.
#pragma once

#include <string>
#include <vector>

#include "amity/cli/benchmark.hpp"

namespace amity::cli {

struct target {
  double most = 0;    // ratio; 0: nothing is promised
  std::string rival;  // the only one that Amity is compared with, where it takes part; empty: the best of all
};

// Of an item with so many threads or ranks.
[[nodiscard]] target target_of(const suite& of, const std::string& item, int count);

// The items whose ratio is above their target.
[[nodiscard]] std::vector<std::string> above_target(const bench_result& result, int count);

}  // namespace amity::cli
