#pragma once

/// Communicators of some sites of another.
///
///     auto row = co::split(co::world(), me / columns, me).get();       // one for each row of a grid of processes
///
/// These are templates of nothing (base/README.md, I1).

#include <cstdint>
#include <string>
#include <utility>

#include "amity/base/later.hpp"
#include "amity/coll/collectives.hpp"

namespace amity::collectives {

/// The color of a site that is to be in no part: split gives it a communicator that is not valid().
inline constexpr int no_color = -1;

namespace detail {

/// What a site says of itself.
struct split_wish {
  int color, key, site, rank;
};

/// Among all wishes, those of one color, ordered by key and then by site.
[[nodiscard]] AMITY_API communicator chosen(const communicator& of, std::uint64_t use, const split_wish& mine,
                                            std::vector<split_wish> all);

/// `wrong`: what this site's arguments are; all are told then. `name`: as the program calls it.
template <class L = void>
[[nodiscard]] future<communicator> split_as(const communicator& c, const char* name, const std::string& wrong,
                                            int color, int key) {
  call k(c, kind::split, name, {});
  if (!wrong.empty()) k.refuse(wrong);
  communicator::state& s = k.sites();
  std::uint64_t const use = s.splits.fetch_add(1, std::memory_order_relaxed) + 1;  // pairs with nothing: it only counts
  split_wish const mine{color, key, s.site, net::job().rank};
  return begin(amity::detail::later<L>(k.about_values<split_wish>()),
               [mine](link& l, int) { return all_gathered<split_wish>(l, mine); })
      .then(launch::sync,
            [c, use, mine](future<std::vector<split_wish>> all) { return chosen(c, use, mine, all.get()); });
}

}  // namespace detail

/// Divides a communicator, as MPI_Comm_split does: the sites of one color make a new one, numbered in the order of
/// their keys, then of their sites in `c`. A site with no_color gets one that is not valid(). Collective over `c`. Does
/// not wait; the future is ready when all sites have called it. Any other color below 0 fails at all sites with
/// collective_error.
template <class = void>
[[nodiscard]] future<communicator> split(const communicator& c, int color, int key) {
  bool const is_wrong = color < 0 && color != no_color;
  return detail::split_as(
      c, "split", is_wrong ? "color " + std::to_string(color) + "; allowed: 0 and above, or no_color" : std::string(),
      color, key);
}

}  // namespace amity::collectives
