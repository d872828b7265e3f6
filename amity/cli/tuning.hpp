// `amity bench collectives --tune FILE`: measures which algorithm of a collective operation is the fastest here, and
// writes a table that programs read by AMITY_COLLECTIVES=FILE.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "amity/cli/benchmark.hpp"

namespace amity::cli {

// What was the best for an operation of one size: "tree 8:8 131072", as in a table (amity/coll/choice_text.hpp).
struct tuned_point {
  int ranks = 0;
  std::string operation;
  std::size_t bytes = 0;
  std::string best;
};

// A table of these. Between two sizes whose best ones differ the border is their geometric mean. For more ranks than
// any point has, the built-in table's rules follow.
[[nodiscard]] std::string table_of(const std::vector<tuned_point>& points);

// Measures and writes the table; the exit status. Whether the file can be written is seen before anything is measured.
int run_tuning(const suite& of, const bench_options& options, const std::string& file);

}  // namespace amity::cli
