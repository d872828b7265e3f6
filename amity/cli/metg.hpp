// The minimum effective task granularity (METG, Slaughter et al., "Task Bench", SC 2020) out of what `amity bench
// graph` measured: how short tasks may be before a runtime's own work takes as much as they do.
//
//   const bench_result metg = metg_of(result);       // an item for each graph; its microseconds are METG(50 %)
#pragma once

#include "amity/cli/benchmark.hpp"

namespace amity::cli {

// What one grain is worth, by the medians.
struct grain {
  double granularity_us = 0;  // core time for each task
  double efficiency = 0;      // the rate of work over the best that anybody reached with so many threads
};

// Whether the items are graphs with different grains.
[[nodiscard]] bool has_grains(const bench_result& result);

// Requires: the cell is known, and has grains.
[[nodiscard]] grain grain_of(const bench_result& result, int threads, const cell& one);

// A row for each group of items, with the granularity at which its efficiency crosses 50 %, round by round: the
// smallest measured one above that, and, on the line from there to the next smaller one, the place of 50 %. The cell's
// kind is "bound" where even the smallest is above; where none is, the cell is empty.
[[nodiscard]] bench_result metg_of(const bench_result& result);

}  // namespace amity::cli
