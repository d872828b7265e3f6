#pragma once

/// What all algorithms of collectives share: the tags of their steps, pieces of spans, parts in one message.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "amity/coll/transport.hpp"
#include "amity/coll/tree.hpp"

namespace amity::collectives::algorithms {

/// Tags of the steps: messages of one step are told from those of another.
enum step : int { down = 1, up = 2, round_base = 16, back = 1 << 20 };

using bytes_view = std::span<const std::byte>;

/// The sites that this one has to tell, in the tree.
[[nodiscard]] inline std::vector<int> below(const tree::place& p, int site) {
  std::vector<int> sites;
  for (const tree::level& l : p.levels)
    for (const branch& part : l.parts)
      if (part.leader != site) sites.push_back(part.leader);
  return sites;
}

/// Those that tell this one, and whether they are left of it. From the smallest branch to the largest: what is left of
/// the own part, what is right of it, nearest first. So what is combined in this order is combined in that of the
/// sites.
template <class = void>  // of nothing (base/README.md, I1)
[[nodiscard]] std::vector<std::pair<int, bool>> children_of(const tree::place& p) {
  std::vector<std::pair<int, bool>> children;
  for (auto l = p.levels.rbegin(); l != p.levels.rend(); ++l) {
    for (int i = l->own - 1; i >= 0; --i) children.emplace_back(l->parts[static_cast<std::size_t>(i)].leader, true);
    for (std::size_t i = static_cast<std::size_t>(l->own) + 1; i < l->parts.size(); ++i)
      children.emplace_back(l->parts[i].leader, false);
  }
  return children;
}

/// Spans go in pieces of so many bytes: the receiver works on one while the next is under way. Both sides must know how
/// long the span is; else it goes as a whole.
inline constexpr std::size_t piece_bytes = 128 * 1024, as_a_whole = ~std::size_t{0}, of_any_length = as_a_whole;

/// `each(number, piece)` of the pieces of elements, at least one.
template <class E, class Each>
void each_piece(std::span<E> all, std::size_t bytes, Each each) {
  std::size_t const most = std::max<std::size_t>(1, bytes / sizeof(E));
  std::size_t first = 0;
  for (int number = 0; number == 0 || first < all.size(); ++number, first += most)
    each(number, all.subspan(first, std::min(most, all.size() - first)));
}

/// How many these are.
template <class E>
[[nodiscard]] int pieces_of(std::span<E> all, std::size_t bytes) {
  int count = 0;
  each_piece(all, bytes, [&](int, std::span<E>) { ++count; });
  return count;
}

/// Parts of several sites, as one message: how many, and each with its length.
class packed_parts {
 public:
  void add(bytes_view bytes) {
    std::uint64_t const size = bytes.size();
    auto const* const at = reinterpret_cast<const std::byte*>(&size);
    bytes_.insert(bytes_.end(), at, at + sizeof size);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void add_packed(bytes_view packed) { bytes_.insert(bytes_.end(), packed.begin(), packed.end()); }
  [[nodiscard]] bytes_view bytes() const noexcept { return bytes_; }
  /// `take(bytes)` of each, in order. False: they are no such parts.
  template <class Take>
  static bool each(bytes_view packed, Take take) {
    while (!packed.empty()) {
      std::uint64_t size;
      if (packed.size() < sizeof size) return false;
      std::memcpy(&size, packed.data(), sizeof size);
      packed = packed.subspan(sizeof size);
      if (packed.size() < size) return false;
      take(packed.first(size));
      packed = packed.subspan(size);
    }
    return true;
  }

 private:
  std::vector<std::byte> bytes_;
};

[[nodiscard]] inline bool is_power_of_two(int n) noexcept { return (n & (n - 1)) == 0; }

/// In how many parts `n` elements are divided among `parts`: that of one.
[[nodiscard]] inline std::pair<std::size_t, std::size_t> part_of(std::size_t n, int parts, int which) noexcept {
  auto const p = static_cast<std::size_t>(parts), w = static_cast<std::size_t>(which);
  std::size_t const each = n / p, more = n % p;
  std::size_t const first = w * each + std::min(w, more);
  return {first, each + (w < more ? 1 : 0)};
}

}  // namespace amity::collectives::algorithms
