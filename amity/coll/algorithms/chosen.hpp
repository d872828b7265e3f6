#pragma once

/// Operations by the algorithm that was chosen for them (choice.hpp), near sites first where nodes are known.
///
/// `in_order`: what is combined must be combined in the order of sites. Where sites of a node are no neighbours, such
/// an operation does not look at nodes; the others number the sites anew.

#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>

#include "amity/coll/algorithms/lanes.hpp"
#include "amity/coll/algorithms/spans.hpp"
#include "amity/coll/algorithms/values.hpp"
#include "amity/coll/choice.hpp"
#include "amity/coll/placement.hpp"

namespace amity::collectives::algorithms {

using tuning::choice;
using tuning::method;

/// Whether operands may change places. Of what is not known, they may not.
template <class Op, class E>
inline constexpr bool commutes = std::is_arithmetic_v<E> &&
                                 (std::is_same_v<Op, std::plus<>> || std::is_same_v<Op, std::plus<E>> ||
                                  std::is_same_v<Op, std::multiplies<>> || std::is_same_v<Op, std::multiplies<E>> ||
                                  std::is_same_v<Op, std::bit_and<>> || std::is_same_v<Op, std::bit_or<>> ||
                                  std::is_same_v<Op, std::bit_xor<>> || std::is_same_v<Op, std::logical_and<>> ||
                                  std::is_same_v<Op, std::logical_or<>>);

/// `body(transport, root, placement)`, where the sites of a node are neighbours or nothing is known of nodes.
template <transport T, class Body>
void by_nodes(T& t, const choice& c, const placement& p, bool in_order, int root, Body body) {
  if (!c.follows_nodes || !p.has_nodes() || (in_order && !p.is_in_order())) return body(t, root, placement());
  if (p.is_in_order()) return body(t, root, p);
  renumbered there(t, p.place_of(t.site()), t.sites(), [&p](int place) { return p.site_of(place); });
  body(there, p.place_of(root), p);
}

[[nodiscard]] inline tree chosen_tree(const choice& c, const placement& p, int sites, int root) {
  if (p.has_nodes()) return {sites, c.arity, root, p.firsts(), c.near_arity};
  return {sites, c.near_arity, root};
}

/// How many sites make a group: those of a node, or about the root of the number of sites. 1: it can't be divided.
[[nodiscard]] inline int group_size(const placement& p, int sites) noexcept {
  if (p.sites_per_node() > 1) return p.sites_per_node();
  int best = 1;
  for (int g = 2; g * g <= sites; ++g)
    if (sites % g == 0) best = g;
  return best;
}

/// The elements of a site, of those that are divided among all.
template <class E>
[[nodiscard]] auto divided(std::span<E> all, int sites) {
  return [all, sites](int site) {
    auto const [first, count] = part_of(all.size(), sites, site);
    return all.subspan(first, count);
  };
}

// --- values

template <transport T, class Take>
void broadcast_bytes(T& t, const choice& c, const placement& p, int root, bytes_view here, Take take) {
  by_nodes(t, c, p, false, root, [&](auto& near, int its_root, const placement& q) {
    broadcast_bytes(near, chosen_tree(c, q, near.sites(), its_root), here, take);
  });
}

template <transport T, class V, class SendValue, class ReceiveValue, class Combine>
void reduce_values(T& t, const choice& c, const placement& p, bool in_order, int root, V& value, SendValue send_value,
                   ReceiveValue receive_value, Combine combine) {
  by_nodes(t, c, p, in_order, root, [&](auto& near, int its_root, const placement& q) {
    reduce_values(near, chosen_tree(c, q, near.sites(), its_root), value, send_value, receive_value, combine);
  });
}

template <transport T, class V, class SendValue, class ReceiveValue, class Combine>
void all_reduce_values(T& t, const choice& c, const placement& p, bool in_order, V& value, SendValue send_value,
                       ReceiveValue receive_value, Combine combine) {
  by_nodes(t, c, p, in_order, 0, [&](auto& near, int root, const placement& q) {
    if (c.how == method::doubling && is_power_of_two(near.sites()))
      return all_reduce_doubling(near, value, send_value, receive_value, combine);
    tree const tr = chosen_tree(c, q, near.sites(), root);
    reduce_values(near, tr, value, send_value, receive_value, combine);
    auto const nobody = [](bytes_view) {};
    if (near.site() == root)
      send_value(value, [&](bytes_view bytes) { broadcast_bytes(near, tr, bytes, nobody); });
    else
      broadcast_bytes(near, tr, {}, [&](bytes_view bytes) { value = receive_value(bytes); });
  });
}

/// `take(site, bytes)` at the root, in any order.
template <transport T, class Take>
void gather_bytes(T& t, const choice& c, const placement& p, int root, bytes_view mine, Take take) {
  if (c.how != method::tree) return gather_straight(t, root, mine, take);
  by_nodes(t, c, p, false, root, [&](auto& near, int its_root, const placement& q) {
    gather_by_tree(near, chosen_tree(c, q, near.sites(), its_root), mine,
                   [&](int place, bytes_view bytes) { take(q.site_of(place), bytes); });
  });
}

/// `part(site)` at the root, `take(bytes)` everywhere.
template <transport T, class Part, class Take>
void scatter_bytes(T& t, const choice& c, const placement& p, int root, Part part, Take take) {
  if (c.how != method::tree) return scatter_straight(t, root, part, take);
  by_nodes(t, c, p, false, root, [&](auto& near, int its_root, const placement& q) {
    scatter_by_tree(
        near, chosen_tree(c, q, near.sites(), its_root), [&](int place) { return part(q.site_of(place)); }, take);
  });
}

/// `take(site, bytes)` everywhere, in any order.
template <transport T, class Take>
void all_gather_bytes(T& t, const choice& c, const placement& p, bytes_view mine, Take take) {
  by_nodes(t, c, p, false, 0, [&](auto& near, int, const placement& q) {
    auto const take_of = [&](int place, bytes_view bytes) { take(q.site_of(place), bytes); };
    if (c.how == method::ring) return all_gather_ring(near, mine, take_of);
    if (c.how == method::bruck) return all_gather_bytes(near, mine, take_of);
    all_gather_straight(near, mine, take_of);
  });
}

// --- spans

template <transport T, class E, class Fill>
void broadcast_span(T& t, const choice& c, const placement& p, int root, std::span<E> mine, Fill fill) {
  by_nodes(t, c, p, false, root, [&](auto& near, int its_root, const placement& q) {
    int const group = group_size(q, near.sites());
    if (c.how == method::lanes && group > 1) return broadcast_lanes(near, its_root, group, mine, fill, c.piece);
    broadcast_span(near, chosen_tree(c, q, near.sites(), its_root), mine, fill, round_base, c.piece);
  });
}

/// Elements of other sites are left with some part of the result.
template <transport T, class E, class Fold, class Fill>
void reduce_span(T& t, const choice& c, const placement& p, bool in_order, int root, std::span<E> mine, Fold fold,
                 Fill fill) {
  by_nodes(t, c, p, in_order, root, [&](auto& near, int its_root, const placement& q) {
    int const n = near.sites(), group = group_size(q, n);
    if (c.how == method::lanes && group > 1) return reduce_lanes(near, its_root, group, mine, fold, fill, c.piece);
    if (c.how != method::parts) return reduce_span(near, chosen_tree(c, q, n, its_root), mine, fold, c.piece);
    auto const part = divided(mine, n);
    using near_transport = std::remove_reference_t<decltype(near)>;
    reduce_scatter_span<near_transport, E>(near, part, fold);
    gather_span(near, its_root, part(near.site()), part, fill, c.piece);
  });
}

template <transport T, class E, class Fold, class Fill>
void all_reduce_span(T& t, const choice& c, const placement& p, bool in_order, std::span<E> mine, Fold fold,
                     Fill fill) {
  by_nodes(t, c, p, in_order, 0, [&](auto& near, int root, const placement& q) {
    using near_transport = std::remove_reference_t<decltype(near)>;
    int const n = near.sites(), group = group_size(q, n);
    if (c.how == method::doubling && is_power_of_two(n)) return all_reduce_span_doubling(near, mine, fold);
    if (c.how == method::lanes && group > 1) return all_reduce_lanes(near, group, mine, fold, fill, c.piece);
    if (c.how == method::parts) {
      auto const part = divided(mine, n);
      reduce_scatter_span<near_transport, E>(near, part, fold);
      return all_gather_span<near_transport, E>(near, part, fill, c.piece);
    }
    tree const tr = chosen_tree(c, q, n, root);
    reduce_span(near, tr, mine, fold, c.piece);
    broadcast_span(near, tr, mine, fill, back, c.piece);
  });
}

/// `part(site)` at the root, for what comes from there; the root's own is not touched.
template <transport T, class E, class Part, class Fill>
void gather_span(T& t, const choice& c, const placement& p, int root, std::span<E> mine, Part part, Fill fill,
                 std::size_t piece) {
  if (c.how != method::tree) return gather_span(t, root, mine, part, fill, piece);
  gather_bytes(t, c, p, root, std::as_bytes(mine), [&](int site, bytes_view bytes) {
    if (site != root) fill(part(site), bytes);
  });
}

/// The root's own part is not touched.
template <transport T, class E, class Part, class Fill>
void scatter_span(T& t, const choice& c, const placement& p, int root, Part part, std::span<E> mine, Fill fill,
                  std::size_t piece) {
  if (c.how != method::tree) return scatter_span(t, root, part, mine, fill, piece);
  scatter_bytes(
      t, c, p, root, [&](int site) { return std::as_bytes(part(site)); },
      [&](bytes_view bytes) {
        if (t.site() != root) fill(mine, bytes);
      });
}

/// The own part is where it should be.
template <transport T, class E, class Part, class Fill>
void all_gather_span(T& t, const choice& c, const placement& p, Part part, Fill fill, std::size_t piece) {
  auto const take = [&](int site, bytes_view bytes) {
    if (site != t.site()) fill(std::span<E>(part(site)), bytes);
  };
  bytes_view const mine = std::as_bytes(std::span<E>(part(t.site())));
  if (c.how == method::bruck || c.how == method::ring) return all_gather_bytes(t, c, p, mine, take);
  by_nodes(t, c, p, false, 0, [&](auto& near, int, const placement& q) {
    using near_transport = std::remove_reference_t<decltype(near)>;
    int const group = group_size(q, near.sites());
    auto const part_of_place = [&](int place) { return part(q.site_of(place)); };
    if (c.how == method::lanes && group > 1)
      all_gather_lanes<near_transport, E>(near, group, part_of_place, fill, piece);
    else
      all_gather_span<near_transport, E>(near, part_of_place, fill, piece);
  });
}

/// The own part is not touched.
template <transport T, class E, class Part, class Place, class Fill>
void all_to_all_span(T& t, const choice& c, const placement& p, Part part, Place place, Fill fill, std::size_t piece) {
  if (c.how != method::lanes) return all_to_all_span<T, E>(t, part, place, fill, piece);
  by_nodes(t, c, p, false, 0, [&](auto& near, int, const placement& q) {
    using near_transport = std::remove_reference_t<decltype(near)>;
    int const group = group_size(q, near.sites());
    auto const part_there = [&](int there) { return part(q.site_of(there)); };
    auto const place_there = [&](int there) { return place(q.site_of(there)); };
    if (group > 1)
      all_to_all_lanes<near_transport, E>(near, group, part_there, place_there, fill);
    else
      all_to_all_span<near_transport, E>(near, part_there, place_there, fill, piece);
  });
}

}  // namespace amity::collectives::algorithms
