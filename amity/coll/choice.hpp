#pragma once

/// Which algorithm an operation takes, by the number of sites and of bytes.

#include <cstddef>
#include <functional>
#include <type_traits>

#include "amity/coll/tree.hpp"

namespace amity::collectives::detail {

/// From so many bytes on, a ring moves less than a tree.
inline constexpr std::size_t large_all_reduce = 64 * 1024;
inline constexpr std::size_t large_all_gather = 32 * 1024;
/// Up to so many bytes, a gather goes along a tree: fewer messages come to the root.
inline constexpr std::size_t small_gather = 512;
/// From so many bytes on, a leader has enough to do with two others.
inline constexpr std::size_t large_message_for_tree = 32 * 1024;

/// `arity`: what the user wants; 0: nothing.
[[nodiscard]] inline tree choose_tree(int sites, int arity, int root, std::size_t bytes = 0) noexcept {
  constexpr int for_small = 8, for_large = 2;
  if (arity == 0) arity = bytes >= large_message_for_tree ? for_large : for_small;
  return {sites, arity, root};
}

/// Operations whose arguments may change places. Those of the standard library on numbers do; others have to say so.
template <class E, class Op>
inline constexpr bool is_commutative = std::is_arithmetic_v<E> &&
                                       (std::is_same_v<Op, std::plus<>> || std::is_same_v<Op, std::plus<E>> ||
                                        std::is_same_v<Op, std::multiplies<>> ||
                                        std::is_same_v<Op, std::multiplies<E>> || std::is_same_v<Op, std::bit_and<>> ||
                                        std::is_same_v<Op, std::bit_or<>> || std::is_same_v<Op, std::bit_xor<>> ||
                                        std::is_same_v<Op, std::bit_and<E>> || std::is_same_v<Op, std::bit_or<E>> ||
                                        std::is_same_v<Op, std::bit_xor<E>> || std::is_same_v<Op, std::logical_and<>> ||
                                        std::is_same_v<Op, std::logical_or<>>);

}  // namespace amity::collectives::detail
