// What the programs of this folder have in common: the operations, their elements, and the results that are right.
//
//   return collectives::bench_main({.run = run, .join = join}, argc, argv);
//
// A size is that of one rank's elements. Where an operation has those of all ranks on one side (gather, ...), that side
// is as many times larger.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "messages/ranks.hpp"

namespace collectives {

using element = std::uint32_t;  // sums wrap round: the same on all machines, however often it is summed

enum class operation {
  broadcast,       // `mine` of rank 0, in place
  reduce,          // sums of `mine`, in place at rank 0
  all_reduce,      // sums of `mine`, in place
  reduce_scatter,  // sums of `all`; each rank's part to its `mine`
  scatter,         // `all` of rank 0; each rank's part to its `mine`
  gather,          // `mine` of all ranks to `all` of rank 0
  all_gather,      // `mine` of all ranks to `all`
  all_to_all,      // part i of `all` to part `rank` of rank i's `other`
  scan,            // sums of `mine` of the ranks up to this one, in place
  barrier
};

struct buffers {
  std::span<element> mine;
  std::span<element> all;    // one part for each rank; empty where the operation has no such side here
  std::span<element> other;  // the same
};

struct contender {
  /// The operation, so many times in a row.
  void (*run)(operation what, const buffers& on, long reps);
  std::unique_ptr<ranks::job> (*join)();
  bool (*tune)(ranks::job&, const ranks::settings&) = nullptr;  // as of ranks::program
};

/// "reduce" with so many bytes, as what can be measured; the name of nothing gives an item without a name.
[[nodiscard]] ranks::item item_named(const std::string& name, std::size_t bytes);

int bench_main(const contender& by, int argc, char** argv);

}  // namespace collectives
