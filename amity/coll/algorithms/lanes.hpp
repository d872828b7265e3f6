#pragma once

/// Algorithms in two levels of equal groups, such as nodes; algorithms.hpp says more.
///
/// `group` neighbours make a group; those with the same number within their groups make a lane. So each step is between
/// few, and all sites of a node work on what goes to other nodes and comes from them. Two sites meet in a group or in a
/// lane, never in both: the same tags serve both.
///
/// Source: Träff, Hunold, "Decomposing MPI collectives for exploiting multi-lane communication" (2020).

#include <cstddef>
#include <span>
#include <vector>

#include "amity/coll/algorithms/spans.hpp"
#include "amity/coll/algorithms/steps.hpp"

namespace amity::collectives::algorithms {

/// The sites of the own group.
template <transport T>
[[nodiscard]] auto group_of(T& t, int group) {
  int const first = t.site() - t.site() % group;
  return renumbered(t, t.site() - first, group, [first](int i) { return first + i; });
}
/// One site of each group.
template <transport T>
[[nodiscard]] auto lane_of(T& t, int group) {
  int const which = t.site() % group;
  return renumbered(t, t.site() / group, t.sites() / group, [which, group](int i) { return i * group + which; });
}

/// Elements divided among a group, and each part among the lane of that site.
template <class E>
class shares {
 public:
  shares(std::span<E> all, int sites, int group) : all_(all), group_(group), groups_(sites / group) {}
  [[nodiscard]] std::span<E> of_lane(int which) const { return part(all_, group_, which); }
  [[nodiscard]] std::span<E> of(int which, int of_group) const { return part(of_lane(which), groups_, of_group); }

 private:
  static std::span<E> part(std::span<E> of, int parts, int which) {
    auto const [first, count] = part_of(of.size(), parts, which);
    return of.subspan(first, count);
  }
  std::span<E> all_;
  int group_, groups_;
};

/// Each site's share becomes the combination of all sites' in their order.
template <transport T, class E, class Fold>
void reduce_scatter_lanes(T& t, int group, const shares<E>& s, Fold fold) {
  auto near = group_of(t, group);
  auto far = lane_of(t, group);
  reduce_scatter_span<decltype(near), E>(
      near, [&](int i) { return s.of_lane(i); }, fold);
  reduce_scatter_span<decltype(far), E>(
      far, [&](int i) { return s.of(near.site(), i); }, fold);
}

/// As reduce_span.
template <transport T, class E, class Fold, class Fill>
void reduce_lanes(T& t, int root, int group, std::span<E> mine, Fold fold, Fill fill, std::size_t piece = piece_bytes) {
  shares<E> const s(mine, t.sites(), group);
  reduce_scatter_lanes(t, group, s, fold);
  auto near = group_of(t, group);
  auto far = lane_of(t, group);
  int const roots_group = root / group, which = near.site();
  gather_span(
      far, roots_group, s.of(which, far.site()), [&](int i) { return s.of(which, i); }, fill, piece);
  if (far.site() == roots_group)
    gather_span(
        near, root % group, s.of_lane(which), [&](int i) { return s.of_lane(i); }, fill, piece);
}

/// The same, everywhere.
template <transport T, class E, class Fold, class Fill>
void all_reduce_lanes(T& t, int group, std::span<E> mine, Fold fold, Fill fill, std::size_t piece = piece_bytes) {
  constexpr std::size_t small = 512;  // of a lane: so little is sent whole, in fewer rounds
  shares<E> const s(mine, t.sites(), group);
  auto near = group_of(t, group);
  auto far = lane_of(t, group);
  if (s.of_lane(0).size_bytes() <= small && is_power_of_two(far.sites())) {
    reduce_scatter_span<decltype(near), E>(
        near, [&](int i) { return s.of_lane(i); }, fold);
    all_reduce_span_doubling(far, s.of_lane(near.site()), fold);
  } else {
    reduce_scatter_lanes(t, group, s, fold);
    all_gather_span<decltype(far), E>(
        far, [&](int i) { return s.of(near.site(), i); }, fill, piece);
  }
  all_gather_span<decltype(near), E>(
      near, [&](int i) { return s.of_lane(i); }, fill, piece);
}

/// As broadcast_span: the root's group gets a part each, these are divided among the groups, and all are put together.
template <transport T, class E, class Fill>
void broadcast_lanes(T& t, int root, int group, std::span<E> mine, Fill fill, std::size_t piece = piece_bytes) {
  shares<E> const s(mine, t.sites(), group);
  auto near = group_of(t, group);
  auto far = lane_of(t, group);
  int const roots_group = root / group, which = near.site();
  auto const of_lane = [&](int i) { return s.of_lane(i); };
  auto const of_group = [&](int i) { return s.of(which, i); };
  if (far.site() == roots_group) scatter_span(near, root % group, of_lane, s.of_lane(which), fill, piece);
  scatter_span(far, roots_group, of_group, of_group(far.site()), fill, piece);
  all_gather_span<decltype(far), E>(far, of_group, fill, piece, round_base);
  all_gather_span<decltype(near), E>(near, of_lane, fill, piece, round_base);
}

/// As all_gather_span, of equally many elements: within the lanes, then within the groups, where each site has those of
/// its lane for all.
template <transport T, class E, class Part, class Fill>
void all_gather_lanes(T& t, int group, Part part, Fill fill, std::size_t piece) {
  constexpr std::size_t small = 2 * 1024;
  auto near = group_of(t, group);
  auto far = lane_of(t, group);
  auto const of = [&](int which, int of_group) { return std::span<E>(part(of_group * group + which)); };
  all_gather_span<decltype(far), E>(
      far, [&](int i) { return of(near.site(), i); }, fill, piece);
  if (std::span<E>(part(t.site())).size_bytes() > small) {
    int const pieces = pieces_of(of(0, 0), piece);
    for (int g = 0; g < far.sites(); ++g)
      all_gather_span<decltype(near), E>(
          near, [&](int i) { return of(i, g); }, fill, piece, back + g * pieces);
    return;
  }
  packed_parts mine;
  for (int g = 0; g < far.sites(); ++g) mine.add(std::as_bytes(of(near.site(), g)));
  all_gather_straight(near, mine.bytes(), [&](int which, bytes_view packed) {
    int g = 0;
    packed_parts::each(packed, [&](bytes_view bytes) { fill(of(which, g++), bytes); });
  });
}

/// As all_to_all_span, for what is small: what a group has for a lane goes to one site, which sends it on at once.
template <transport T, class E, class Part, class Place, class Fill>
void all_to_all_lanes(T& t, int group, Part part, Place place, Fill fill) {
  auto near = group_of(t, group);
  auto far = lane_of(t, group);
  std::vector<packed_parts> for_group(static_cast<std::size_t>(far.sites()));  // of all near sites, for a group each
  exchange_parts(
      near,
      [&](int which, packed_parts& p) {
        for (int g = 0; g < far.sites(); ++g) p.add(std::as_bytes(part(g * group + which)));
      },
      [&](int, bytes_view packed) {
        std::size_t g = 0;
        packed_parts::each(packed, [&](bytes_view bytes) { for_group[g++].add(bytes); });
      });
  exchange_parts(
      far, [&](int g, packed_parts& p) { p.add_packed(for_group[static_cast<std::size_t>(g)].bytes()); },
      [&](int g, bytes_view packed) {
        int which = 0;
        packed_parts::each(packed, [&](bytes_view bytes) {
          int const from = g * group + which++;
          if (from != t.site()) fill(std::span<E>(place(from)), bytes);
        });
      });
}

}  // namespace amity::collectives::algorithms
