#pragma once

/// Which sites are near one another: those of one node.
///
///     placement const p(std::vector{7, 7, 9, 9});  // sites 0 and 1 are on one node, 2 and 3 on another
///
/// The *places* are the sites in another order, that of the nodes: so the sites of a node are neighbours, whatever
/// their numbers. Where they are neighbours anyway, place and site are the same number.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "amity/base/language.hpp"

namespace amity::collectives {

class placement {
 public:
  /// Nothing is known: all sites are as near as any.
  placement() = default;

  /// The node of each site, by any numbers. Nodes come in the order of their first sites.
  explicit placement(std::span<const int> nodes) {
    std::vector<int> order;
    for (int node : nodes)
      if (std::find(order.begin(), order.end(), node) == order.end()) order.push_back(node);
    if (order.size() < 2 || order.size() == nodes.size()) return;  // no nodes to tell apart, or nobody is near
    for (int node : order) {
      firsts_.push_back(static_cast<int>(sites_.size()));
      for (std::size_t s = 0; s < nodes.size(); ++s)
        if (nodes[s] == node) sites_.push_back(static_cast<int>(s));
    }
    firsts_.push_back(static_cast<int>(sites_.size()));
    places_.resize(sites_.size());
    for (std::size_t i = 0; i < sites_.size(); ++i) places_[static_cast<std::size_t>(sites_[i])] = static_cast<int>(i);
  }

  /// There are several nodes, and several sites on one at least.
  [[nodiscard]] bool has_nodes() const noexcept { return !firsts_.empty(); }
  /// Places and sites are the same.
  [[nodiscard]] bool is_in_order() const noexcept { return std::is_sorted(sites_.begin(), sites_.end()); }
  [[nodiscard]] int site_of(int place) const noexcept {
    return has_nodes() ? sites_[static_cast<std::size_t>(place)] : place;
  }
  [[nodiscard]] int place_of(int site) const noexcept {
    return has_nodes() ? places_[static_cast<std::size_t>(site)] : site;
  }
  /// The first place of each node, and the number of all places; empty without nodes.
  [[nodiscard]] const std::vector<int>& firsts() const noexcept { return firsts_; }
  /// How many nodes there are; 0: nothing is known of them.
  [[nodiscard]] int nodes() const noexcept { return has_nodes() ? static_cast<int>(firsts_.size()) - 1 : 0; }
  /// Requires: has_nodes(), here and in what follows. The node of a site: 0 to nodes() - 1.
  [[nodiscard]] int node_of(int site) const noexcept {
    auto const above = std::upper_bound(firsts_.begin(), firsts_.end(), place_of(site));
    return static_cast<int>(above - firsts_.begin()) - 1;
  }
  /// The sites of a node, in their order.
  [[nodiscard]] std::span<const int> sites_of(int node) const noexcept {
    auto const n = static_cast<std::size_t>(node);
    return std::span(sites_).subspan(static_cast<std::size_t>(firsts_[n]),
                                     static_cast<std::size_t>(firsts_[n + 1] - firsts_[n]));
  }
  /// How many sites the largest node has.
  [[nodiscard]] int most_sites_of_a_node() const noexcept {
    int most = 0;
    for (int node = 0; node < nodes(); ++node) most = std::max(most, static_cast<int>(sites_of(node).size()));
    return most;
  }

  /// How many sites each node has; 0: not equally many, or there are no nodes.
  [[nodiscard]] int sites_per_node() const noexcept {
    for (std::size_t i = 2; i < firsts_.size(); ++i)
      if (firsts_[i] - firsts_[i - 1] != firsts_[1]) return 0;
    return has_nodes() ? firsts_[1] : 0;
  }

 private:
  std::vector<int> firsts_, sites_, places_;
};

/// What a transport knows of the nodes of its sites: `const placement& nodes()`, or nothing.
template <class T>
[[nodiscard]] const placement& nodes_of(const T& transport) {
  static const placement nothing;
  if constexpr (requires { transport.nodes(); })
    return transport.nodes();
  else
    return nothing;
}

}  // namespace amity::collectives
