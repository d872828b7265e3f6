#pragma once

/// Communicators of some sites of another.
///
///     auto row = co::split(co::world(), me / columns, me).get();       // one for each row of a grid of processes

#include <cstdint>
#include <string>
#include <utility>

#include "amity/coll/collectives.hpp"

namespace amity::collectives {

/// For sites that want to be in none.
inline constexpr int no_color = -1;

namespace detail {

/// What a site says of itself.
struct split_wish {
  int color, key, site, rank;
};

/// Among all wishes, those of one color, ordered by key and then by site.
[[nodiscard]] AMITY_API communicator chosen(const communicator& of, std::uint64_t use, const split_wish& mine,
                                            std::vector<split_wish> all);

}  // namespace detail

/// Sites of one color make a communicator, in the order of their keys, then of their sites. Collective; a site with
/// no_color gets one that is not valid(). As MPI_Comm_split. Throws std::invalid_argument for any other color below 0.
[[nodiscard]] inline future<communicator> split(const communicator& c, int color, int key) {
  communicator::state& s = c.checked();
  if (color < 0 && color != no_color)
    throw std::invalid_argument("split of communicator '" + s.name + "': color " + std::to_string(color) +
                                "; allowed: 0 and above, or no_color");
  std::uint64_t const use = s.splits.fetch_add(1, std::memory_order_relaxed) + 1;
  detail::split_wish const mine{color, key, s.site, net::job().rank};
  return all_gather(c, mine).then(launch::sync, [c, use, mine](future<std::vector<detail::split_wish>> all) {
    return detail::chosen(c, use, mine, all.get());
  });
}

}  // namespace amity::collectives
