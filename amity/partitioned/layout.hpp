#pragma once

/// How the elements of a partitioned_vector are dealt to processes.
///
///     amity::block_layout()                       // a block for each rank, in their order
///     amity::block_layout(16)                     // 16 blocks, dealt to all ranks in turn
///     amity::block_layout(4, {0, 2})              // 4 blocks, dealt to ranks 0 and 2 in turn

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "amity/net/job.hpp"

namespace amity {

/// Into how many blocks a vector is cut, and which ranks have them. A value; nothing is collective.
class block_layout {
 public:
  /// A block for each rank of the job, in their order.
  block_layout() = default;
  /// `blocks` blocks, dealt to `ranks` in turn; without ranks, to all. Throws std::invalid_argument for 0 blocks.
  explicit block_layout(std::size_t blocks, std::vector<int> ranks = {}) : blocks_(blocks), ranks_(std::move(ranks)) {
    if (blocks == 0) throw std::invalid_argument("a block_layout of 0 blocks; allowed: 1 or more");
  }
  /// A block for each of these ranks, in their order; one that is named twice has two.
  explicit block_layout(std::vector<int> ranks) : ranks_(std::move(ranks)) {}

  /// How many blocks there are. May join the job.
  [[nodiscard]] std::size_t blocks() const {
    if (blocks_ != 0) return blocks_;
    return ranks_.empty() ? static_cast<std::size_t>(net::detail::joined_job().size) : ranks_.size();
  }
  /// The rank that has block `b`, counted from 0 on. Joins the job. Throws std::out_of_range if the layout names a
  /// rank that the job does not have.
  [[nodiscard]] int where(std::size_t b) const {
    int const n = net::detail::joined_job().size;
    if (ranks_.empty()) return static_cast<int>(b % static_cast<std::size_t>(n));
    int const rank = ranks_[b % ranks_.size()];
    if (rank < 0 || rank >= n)
      throw std::out_of_range("block_layout: rank " + std::to_string(rank) + " does not exist; there are " +
                              std::to_string(n) + ", from 0 on");
    return rank;
  }

 private:
  std::size_t blocks_ = 0;  ///< 0: one for each of the ranks
  std::vector<int> ranks_;  ///< empty: all
};

}  // namespace amity
