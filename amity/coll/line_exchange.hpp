#pragma once

/// Between nodes, what lines are within: one site of each node, its leader, has what the sites of the node give, and
/// exchanges it with the other leaders by messages (README-lines.md). Without types: all of this is bytes.

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "amity/coll/algorithms.hpp"
#include "amity/coll/choice.hpp"
#include "amity/coll/line_site.hpp"
#include "amity/coll/lines.hpp"
#include "amity/coll/operation.hpp"
#include "amity/coll/placement.hpp"
#include "amity/coll/transport.hpp"

namespace amity::collectives::detail {

/// What the sites give, each equally much, one after the other by their numbers.
class gathered_block {
 public:
  gathered_block(const placement& nodes, int sites, std::size_t each)
      : nodes_(nodes), each_(each), bytes_(static_cast<std::size_t>(sites) * each) {}
  /// What the sites of a node give, in their order. False: it is not as much as they give.
  [[nodiscard]] bool put(int node, std::span<const std::byte> of_node) noexcept {
    std::span<const int> const sites = nodes_.sites_of(node);
    if (of_node.size() != sites.size() * each_) return false;
    for (std::size_t i = 0; i < sites.size() && each_ != 0; ++i)
      std::memcpy(bytes_.data() + static_cast<std::size_t>(sites[i]) * each_, of_node.data() + i * each_, each_);
    return true;
  }
  [[nodiscard]] std::vector<std::byte> take() noexcept { return std::move(bytes_); }

 private:
  const placement& nodes_;
  std::size_t each_;
  std::vector<std::byte> bytes_;
};

/// What the sites of this node give, in their order. Requires: `t` is complete, and needs all of them.
[[nodiscard]] inline std::vector<std::byte> given_here(const line_site& its, const turn& t, int site, std::size_t each,
                                                       std::span<const std::byte> own) {
  std::vector<std::byte> all;
  int number = 0;
  for (int s : its.nodes()->sites_of(its.own_node())) {
    const std::byte* const at = s == site ? own.data() : its.all().value_of(number, t, each);
    if (each != 0) all.insert(all.end(), at, at + each);
    ++number;
  }
  return all;
}

/// Values go straight where the table has lanes, which are for sites that are near: of many leaders each would send to
/// each.
template <transport T, class Put>
void all_gather_from_leaders(T& leaders, tuning::choice how, std::span<const std::byte> of_node, Put put) {
  if (how.how == tuning::method::lanes) how.how = tuning::method::bruck;
  algorithms::all_gather_bytes(leaders, how, placement(), of_node, put);
}

/// At a leader: what all sites give, or the root alone, as far as this node needs it. `each`: so many bytes gives a
/// site; `own`: what this one gives. Blocks the fiber. Requires: `t` is complete.
[[nodiscard]] inline std::vector<std::byte> exchanged(link& l, const line_site& its, const turn& t, std::size_t each,
                                                      std::span<const std::byte> own) {
  using tuning::operation;
  const placement& nodes = *its.nodes();
  int const count = nodes.nodes(), here = its.own_node();
  renumbered leaders(l, here, count, [&its, what = t.what](int node) { return its.leader_of(node, what); });
  if (t.what.what == kind::barrier) {
    algorithms::barrier(leaders);
    return {};
  }
  // As if over a communicator of the leaders: the others know the same numbers.
  auto const chosen = [&](operation o, std::size_t bytes) { return tuning::choose(l.rules(), o, count, bytes); };
  placement const nothing_near;
  auto const refuse = [&](std::size_t bytes, int node) {
    l.refuse(std::to_string(bytes) + " bytes have come from the leader of node " + std::to_string(node) +
             ", whose sites give " + std::to_string(each) + " each");
  };
  if (flow_of(t.what.what) == flow::from_root) {
    std::vector<std::byte> all(own.begin(), own.end());
    int const of_root = nodes.node_of(t.what.root);
    algorithms::broadcast_bytes(leaders, chosen(operation::broadcast, each), nothing_near, of_root, own,
                                [&](std::span<const std::byte> bytes) { all.assign(bytes.begin(), bytes.end()); });
    if (all.size() != each) refuse(all.size(), of_root);
    return all;
  }
  std::vector<std::byte> const of_node = given_here(its, t, l.site(), each, own);
  gathered_block all(nodes, l.sites(), each);
  auto const put = [&](int node, std::span<const std::byte> bytes) {
    if (!all.put(node, bytes)) refuse(bytes.size(), node);
  };
  // Equal at all leaders, though their nodes may have different numbers of sites.
  std::size_t const most = static_cast<std::size_t>(nodes.most_sites_of_a_node()) * each;
  if (flow_of(t.what.what) == flow::to_root)
    algorithms::gather_bytes(leaders, chosen(operation::gather, most), nothing_near, nodes.node_of(t.what.root),
                             of_node, put);
  else
    all_gather_from_leaders(leaders, chosen(operation::all_gather, most), of_node, put);
  return all.take();
}

}  // namespace amity::collectives::detail
