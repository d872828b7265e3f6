#pragma once

/// Sorted pieces of memory become one sorted sequence in other memory, by all workers: the result is cut into chunks
/// (cuts.hpp), and each is merged by a tree of losers (Knuth, volume 3, 5.4.1). Stable: of equal elements those of
/// earlier pieces come first.
///
///     merge_pieces(true, pieces, out, less);             // pieces: a vector of spans; elements are moved

#include <algorithm>
#include <cstddef>
#include <exception>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "amity/algo/partition.hpp"
#include "amity/partitioned/cuts.hpp"

namespace amity::partitioned {

/// By the caller alone. If the comparison throws, what is left is moved as well, in any order.
template <class T, class Less>
class merger {
 public:
  /// Requires: there is at least one piece.
  merger(std::vector<std::span<T>> pieces, T* out, Less& less)
      : pieces_(std::move(pieces)), losers_(pieces_.size()), out_(out), less_(less) {}

  void run() {
    try {
      merge();
    } catch (...) {
      move_rest();
      throw;
    }
  }
  /// Pieces as they are, one behind the other.
  void move_rest() {
    for (std::span<T>& each : pieces_) {
      out_ = std::move(each.begin(), each.end(), out_);
      each = {};
    }
  }

 private:
  void merge() {
    auto left = static_cast<std::size_t>(
        std::count_if(pieces_.begin(), pieces_.end(), [](const std::span<T>& each) { return !each.empty(); }));
    if (left > 1) {
      std::size_t winner = play(1);
      while (left > 1) {
        std::span<T>& from = pieces_[winner];
        *out_ = std::move(from.front());
        ++out_;
        from = from.subspan(1);
        if (from.empty()) --left;
        winner = replay(winner);
      }
    }
    move_rest();
  }

  /// Piece a goes first, of the two.
  [[nodiscard]] bool is_first(std::size_t a, std::size_t b) {
    if (pieces_[a].empty() || pieces_[b].empty()) return pieces_[b].empty();
    return a < b ? !less_(pieces_[b].front(), pieces_[a].front()) : less_(pieces_[a].front(), pieces_[b].front());
  }
  /// The winner below a node of the tree: node n is above 2n and 2n + 1, and the pieces are the leaves, from node
  /// `pieces` on.
  std::size_t play(std::size_t node) {
    if (node >= pieces_.size()) return node - pieces_.size();
    std::size_t const a = play(2 * node), b = play(2 * node + 1);
    bool const a_wins = is_first(a, b);
    losers_[node] = a_wins ? b : a;
    return a_wins ? a : b;
  }
  /// The winner of all, when only `piece` has changed, which won before.
  std::size_t replay(std::size_t piece) {
    for (std::size_t node = (piece + pieces_.size()) / 2; node != 0; node /= 2)
      if (is_first(losers_[node], piece)) std::swap(losers_[node], piece);
    return piece;
  }

  std::vector<std::span<T>> pieces_;  ///< what is left of each
  std::vector<std::size_t> losers_;   ///< of each node of the tree
  T* out_;
  Less& less_;
};

/// Moves all elements to `out`, in order. If the comparison throws, all are there as well, in any order, and the first
/// of what it threw comes then.
template <class T, class Less>
void merge_pieces(bool parallel, const std::vector<std::span<T>>& pieces, T* out, Less& less) {
  constexpr std::size_t worth_a_chunk = 1 << 12;
  algo::settings const one_each{.how = algo::chunking::equal, .alone = !parallel, .chunk = 1};
  cut sizes;
  for (const std::span<T>& each : pieces) sizes.push_back(each.size());
  std::size_t const n = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  std::size_t const chunks =
      parallel ? std::clamp<std::size_t>(n / worth_a_chunk, 1, std::size_t{4} * algo::parties(one_each)) : 1;
  auto const begin_of = [&](std::size_t chunk) { return n / chunks * chunk + n % chunks * chunk / chunks; };
  auto const look = [&](const windows& w) {
    std::vector<sample<const T*>> all;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      each_sample(w.low[i], w.high[i], samples_of_each(pieces.size()), [&](std::size_t at) {
        all.push_back({&pieces[i][at], i, at});
      });
    return all;
  };

  // All cuts are found before the first element is moved: for that elements of all chunks are looked at.
  std::vector<cut> cuts(chunks + 1, cut(pieces.size()));
  cuts.back() = sizes;
  std::vector<std::exception_ptr> errors(chunks + 1);
  try {
    algo::over_elements(one_each, chunks - 1, [&](algo::index i, algo::index end) {
      for (; i < end; ++i)
        cuts[i + 1] = cut_at<const T*>(begin_of(i + 1), sizes, look,
                                       [&less](const T* a, const T* b) -> bool { return less(*a, *b); });
    });
  } catch (...) {
    errors.front() = std::current_exception();
  }
  for (std::size_t i = 1; i < chunks; ++i) settle(cuts[i], begin_of(i), cuts[i - 1], sizes);

  algo::over_elements(one_each, chunks, [&](algo::index i, algo::index end) {
    for (; i < end; ++i) {
      std::vector<std::span<T>> parts;
      for (std::size_t p = 0; p < pieces.size(); ++p)
        parts.push_back(pieces[p].subspan(cuts[i][p], cuts[i + 1][p] - cuts[i][p]));
      merger<T, Less> chunk(std::move(parts), out + begin_of(i), less);
      if (errors.front() != nullptr) {
        chunk.move_rest();
        continue;
      }
      try {
        chunk.run();
      } catch (...) {
        errors[i + 1] = std::current_exception();
      }
    }
  });
  for (const std::exception_ptr& each : errors)
    if (each != nullptr) std::rethrow_exception(each);
}

}  // namespace amity::partitioned
