#pragma once

/// Which algorithm an operation takes: a table by the number of sites and of bytes.
///
/// The first row that is of the operation and has room for both is taken. All sites must see the same table, and the
/// same number of bytes. choice_text.hpp reads tables.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "amity/base/language.hpp"
#include "amity/coll/tree.hpp"

namespace amity::collectives::tuning {

/// The operations that have a choice of algorithms.
enum class operation : std::uint8_t { broadcast, reduce, all_reduce, gather, scatter, all_gather, all_to_all };
/// Their names in a table's text, by number.
inline constexpr const char* operation_names[] = {"broadcast", "reduce",     "all_reduce", "gather",
                                                  "scatter",   "all_gather", "all_to_all"};

/// The algorithms. Which of them an operation has, parse_table checks.
enum class method : std::uint8_t {
  tree,      ///< along a tree; with arity 1 a chain
  straight,  ///< one message from each to each
  parts,     ///< each site combines one part of all
  lanes,     ///< the same in two levels, of nodes where they are known
  doubling,  ///< with a site twice as far away in each round
  bruck,     ///< the same for what is gathered
  ring,      ///< with the neighbour in each round
  mpi,       ///< MPI's own operation, where MPI carries the messages and knows type and operator; else the next rule
  lines,     ///< in memory that the sites of a node share, where there is room; else the next rule
};
/// Their names in a table's text, by number.
inline constexpr const char* method_names[] = {"tree",  "straight", "parts", "lanes", "doubling",
                                               "bruck", "ring",     "mpi",   "lines"};

/// Methods that are not everywhere. A rule for one holds only where it is; the rules behind it hold elsewhere.
[[nodiscard]] constexpr bool is_only_somewhere(method m) noexcept { return m == method::mpi || m == method::lines; }
/// Which of them an operation may take.
struct at_hand {
  bool mpi = false;    ///< MPI's own operations
  bool lines = false;  ///< the memory of a node
  /// Rules for this method count.
  [[nodiscard]] constexpr bool has(method m) const noexcept {
    return m == method::mpi ? mpi : m == method::lines ? lines : true;
  }
};

/// How an operation is done.
struct choice {
  method how = method::tree;       ///< the algorithm
  int arity = 8;                   ///< of a tree between nodes
  int near_arity = 8;              ///< of a tree within a node, or of one where nothing is known of nodes
  std::size_t piece = 128 * 1024;  ///< a span goes in pieces of so many bytes
  bool follows_nodes = true;       ///< the tree keeps sites of one node together
};

/// One row of a table.
struct rule {
  operation of = operation::reduce;  ///< which operation it is for
  int sites = 0;                     ///< at most; 0: any number
  std::size_t bytes = 0;             ///< at most; 0: any number
  choice how;                        ///< what is taken then
};

/// Rules, of which the first that fits is taken.
using table = std::vector<rule>;

namespace detail {

inline constexpr std::size_t kib = 1024;

/// Measured: up to 16 sites on one node; beyond that, but for lines, on the simulated machine of bench/simulation.
/// Bytes are those of one site's value or span; of gather, scatter, all_gather and all_to_all those that go from one
/// site to another.
inline constexpr std::array default_rules = {
    // What is lent is copied once for all sites of a node, so nobody else need pass it on.
    rule{operation::broadcast, 256, 4 * kib, {method::lines}},
    rule{operation::broadcast, 16, 32 * kib - 1, {method::tree, 4, 8}},
    rule{operation::broadcast, 16, 0, {method::tree, 2, 64}},
    rule{operation::broadcast, 0, 8 * kib, {method::tree, 4, 4}},
    rule{operation::broadcast, 0, 128 * kib, {method::lanes}},
    rule{operation::broadcast, 0, 0, {method::tree, tree::chain, 4, 8 * kib}},

    // Two sites have nothing to share: the tree's root is as fast.
    rule{operation::reduce, 256, 4 * kib, {method::lines}},
    rule{operation::reduce, 2, 0, {method::tree, 2, 2}},
    rule{operation::reduce, 16, 32 * kib - 1, {method::tree, 8, 8}},
    rule{operation::reduce, 4, 0, {method::parts}},
    rule{operation::reduce, 8, 64 * kib - 1, {method::tree, 2, 2}},
    rule{operation::reduce, 8, 0, {method::parts}},
    rule{operation::reduce, 16, 128 * kib - 1, {method::tree, 2, 2}},
    rule{operation::reduce, 16, 0, {method::parts}},
    rule{operation::reduce, 0, 32, {method::tree, 16, 4}},
    rule{operation::reduce, 0, 2 * kib, {method::tree, 4, 4}},
    rule{operation::reduce, 0, 0, {method::lanes, 2, 2}},

    rule{operation::all_reduce, 256, 4 * kib, {method::lines}},
    rule{operation::all_reduce, 16, 8 * kib - 1, {method::doubling, 8, 8}},
    rule{operation::all_reduce, 2, 16 * kib - 1, {method::tree, 8, 8}},
    rule{operation::all_reduce, 2, 0, {method::parts}},
    rule{operation::all_reduce, 16, 32 * kib - 1, {method::tree, 8, 8}},
    rule{operation::all_reduce, 4, 0, {method::parts}},
    rule{operation::all_reduce, 8, 64 * kib - 1, {method::tree, 2, 2}},
    rule{operation::all_reduce, 8, 0, {method::parts}},
    rule{operation::all_reduce, 16, 128 * kib - 1, {method::tree, 2, 2}},
    rule{operation::all_reduce, 16, 0, {method::parts}},
    rule{operation::all_reduce, 0, 256, {method::doubling, 4, 4}},
    rule{operation::all_reduce, 0, 2 * kib, {method::tree, 4, 4}},
    rule{operation::all_reduce, 0, 0, {method::lanes, 2, 2}},

    rule{operation::gather, 256, 4 * kib, {method::lines}},
    rule{operation::gather, 16, 512, {method::tree, 8, 8}},
    rule{operation::gather, 0, 512, {method::tree, 16, 4}},
    rule{operation::gather, 0, 0, {method::straight}},

    rule{operation::scatter, 256, 4 * kib, {method::lines}},
    rule{operation::scatter, 16, 0, {method::straight}},
    rule{operation::scatter, 0, 1 * kib, {method::tree, 16, 4}},
    rule{operation::scatter, 0, 0, {method::straight}},

    rule{operation::all_gather, 256, 4 * kib, {method::lines}},
    rule{operation::all_gather, 16, 512, {method::bruck}},
    rule{operation::all_gather, 16, 0, {method::straight}},
    rule{operation::all_gather, 0, 0, {method::lanes}},

    rule{operation::all_to_all, 256, 4 * kib, {method::lines}},
    rule{operation::all_to_all, 16, 0, {method::straight}},
    rule{operation::all_to_all, 0, 512, {method::lanes}},
    rule{operation::all_to_all, 0, 0, {method::straight}},
};

}  // namespace detail

/// The built-in table, which was measured. It lives as long as the process.
[[nodiscard]] inline std::span<const rule> default_table() noexcept {
  return {detail::default_rules.data(), detail::default_rules.size()};
}

/// How operation `o` of so many sites and bytes is done by these rules. `arity`: that of the communicator, or 0; one
/// with an arity always takes trees of it, where the operation has any. `ways`: rules for other methods don't
/// count.
[[nodiscard]] inline choice choose(std::span<const rule> rules, operation o, int sites, std::size_t bytes,
                                   int arity = 0, at_hand ways = {}) noexcept {
  choice c;
  for (const rule& r : rules)
    if (r.of == o && (r.sites == 0 || sites <= r.sites) && (r.bytes == 0 || bytes <= r.bytes) && ways.has(r.how.how)) {
      c = r.how;
      break;
    }
  bool const always_tree = o == operation::broadcast || o == operation::reduce || o == operation::all_reduce;
  if (arity != 0 && (always_tree || c.how == method::tree))
    c = {method::tree, arity, arity, choice().piece, /*follows_nodes=*/false};
  return c;
}

/// For the operations: the table that a transport brings along, or the built-in one.
template <class T>
[[nodiscard]] std::span<const rule> rules_of(const T& transport) {
  if constexpr (requires { transport.rules(); })
    return transport.rules();
  else
    return default_table();
}

}  // namespace amity::collectives::tuning
