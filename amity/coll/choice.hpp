#pragma once

/// Which algorithm an operation takes, by the number of sites and of bytes.

#include <algorithm>
#include <cstddef>

#include "amity/coll/tree.hpp"

namespace amity::collectives::detail {

/// From so many bytes on, a ring moves less than a tree.
inline constexpr std::size_t large_all_gather = 32 * 1024;
/// Up to so many bytes, a gather goes along a tree: fewer messages come to the root.
inline constexpr std::size_t small_gather = 512;
/// From so many bytes on, a leader has enough to do with two others.
inline constexpr std::size_t large_message_for_tree = 32 * 1024;
/// From so many bytes for each site on, each site combines a part of all.
inline constexpr std::size_t large_part = 8 * 1024;

/// `arity`: what the user wants; 0: nothing.
[[nodiscard]] inline tree choose_tree(int sites, int arity, int root, std::size_t bytes = 0) noexcept {
  constexpr int for_small = 8, for_large = 2;
  if (arity == 0) arity = bytes >= large_message_for_tree ? for_large : for_small;
  return {sites, arity, root};
}

/// A broadcast of much copies it once for all sites of a node, so nobody else need pass it on.
[[nodiscard]] inline tree choose_broadcast_tree(int sites, int arity, int root, std::size_t bytes) noexcept {
  constexpr int for_small = 8, at_most = 64;
  if (arity == 0) arity = bytes >= large_message_for_tree ? std::min(sites, at_most) : for_small;
  return {sites, arity, root};
}

/// Two sites have nothing to share: the tree's root is as fast.
[[nodiscard]] inline bool reduces_by_parts(int sites, int arity, std::size_t bytes) noexcept {
  return arity == 0 && sites > 2 && bytes / static_cast<std::size_t>(sites) >= large_part;
}
/// The same where all need the result.
[[nodiscard]] inline bool all_reduces_by_parts(int sites, int arity, std::size_t bytes) noexcept {
  return arity == 0 && sites > 1 && bytes / static_cast<std::size_t>(sites) >= large_part;
}

}  // namespace amity::collectives::detail
