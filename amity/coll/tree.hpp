#pragma once

/// The trees of collectives: sites 0 to n-1 as an interval that is divided, and divided again. Each interval has a
/// leader. So what is combined along the tree keeps the order of the sites, for any root and any arity.
///
///     tree const t(16, 4, 0);                     // 16 sites, arity 4: 0 leads, and below it 4, 8, 12
///     tree const u(16, 2, 0, {0, 8, 16}, 8);      // two nodes of 8: 8 is below 0, and each leads its node's others
///     tree const v(16, tree::chain, 5);           // 5 is told by 4 and 6, these by 3 and 7, and so on
///
/// Header only, without threads or static objects: simulators use it, too.

#include <algorithm>
#include <utility>
#include <vector>

#include "amity/base/language.hpp"

namespace amity::collectives {

/// Sites `first` to `last` - 1.
struct interval {
  int first = 0, last = 0;
  [[nodiscard]] int size() const noexcept { return last - first; }
  [[nodiscard]] bool has(int site) const noexcept { return first <= site && site < last; }
};

/// An interval of the tree, with the site that speaks for it.
struct branch {
  interval sites;
  int leader = 0;
};

class tree {
 public:
  /// As arity: each site has its neighbour below it.
  static constexpr int chain = 1;

  /// `arity`: into how many parts an interval is divided. `root` leads all.
  tree(int sites, int arity, int root) : all_{{0, sites}, root}, far_(arity), near_(arity) {}

  /// Divided by nodes first, and these by `near`. `firsts`: the first site of each node, and the number of all sites.
  tree(int sites, int arity, int root, std::vector<int> firsts, int near)
      : all_{{0, sites}, root}, far_(arity), near_(near), firsts_(std::move(firsts)) {}

  /// The parts of a branch, in the order of their sites. That with the leader keeps it; the others are led by their
  /// first site, or, in a chain, by the next to the leader. A branch of one site has none.
  [[nodiscard]] std::vector<branch> parts_of(const branch& b) const {
    if (b.sites.size() <= 1) return {};
    units const u = units_of(b.sites);
    if (u.arity == chain) return links_of(b, u);
    std::vector<branch> parts;
    int const count = std::min(std::max(2, u.arity), u.last - u.first), each = (u.last - u.first) / count;
    int const more = (u.last - u.first) % count;
    for (int i = 0, at = u.first; i < count; ++i) {
      int const next = at + each + (i < more ? 1 : 0);
      interval const sites{start(u, at), start(u, next)};
      parts.push_back({sites, sites.has(b.leader) ? b.leader : sites.first});
      at = next;
    }
    return parts;
  }

  /// One step of a site's way from the whole to itself: the branch, and its parts.
  struct level {
    branch whole;
    std::vector<branch> parts;
    int own = 0;  ///< which part the site is in
  };

  /// The way of `site`, from the largest branch that it leads down to itself; and who is above it (-1: nobody, it is
  /// the root).
  struct place {
    int parent = -1;
    branch led;                 ///< the largest branch that it leads
    std::vector<level> levels;  ///< of those, from the largest on, each with the site as its leader
  };
  [[nodiscard]] place place_of(int site) const {
    place found;
    branch at = all_;
    while (at.leader != site) {
      auto const [next, above] = step_towards(at, site);
      if (next.leader == site) found.parent = above;
      at = next;
    }
    found.led = at;
    while (at.sites.size() > 1) {
      level l{at, parts_of(at), 0};
      for (std::size_t i = 0; i < l.parts.size(); ++i)
        if (l.parts[i].sites.has(site)) l.own = static_cast<int>(i);
      at = l.parts[static_cast<std::size_t>(l.own)];
      found.levels.push_back(std::move(l));
    }
    return found;
  }

 private:
  /// What a branch is divided into: nodes, where it has several, else sites.
  struct units {
    int first, last, arity;
    bool are_nodes;
  };
  [[nodiscard]] units units_of(interval sites) const noexcept {
    if (!firsts_.empty()) {
      int const first = node_of(sites.first), last = node_of(sites.last - 1) + 1;
      if (last - first > 1) return {first, last, far_, true};
    }
    return {sites.first, sites.last, near_, false};
  }
  [[nodiscard]] int node_of(int site) const noexcept {
    return static_cast<int>(std::upper_bound(firsts_.begin(), firsts_.end(), site) - firsts_.begin()) - 1;
  }
  [[nodiscard]] int start(const units& u, int unit) const noexcept {
    return u.are_nodes ? firsts_[static_cast<std::size_t>(unit)] : unit;
  }

  /// A chain's parts: what is left of the leader's unit, that, and what is right of it.
  [[nodiscard]] std::vector<branch> links_of(const branch& b, const units& u) const {
    std::vector<branch> parts;
    int const own = u.are_nodes ? node_of(b.leader) : b.leader;
    if (own > u.first) parts.push_back({{b.sites.first, start(u, own)}, start(u, own - 1)});
    parts.push_back({{start(u, own), start(u, own + 1)}, b.leader});
    if (own + 1 < u.last) parts.push_back({{start(u, own + 1), b.sites.last}, start(u, own + 1)});
    return parts;
  }

  /// A smaller branch with `site` in it, and who is above that one's leader. Of a chain the last such, at once.
  [[nodiscard]] std::pair<branch, int> step_towards(const branch& at, int site) const {
    units const u = units_of(at.sites);
    int const own = u.are_nodes ? node_of(at.leader) : at.leader, wanted = u.are_nodes ? node_of(site) : site;
    if (u.arity == chain && wanted != own) {
      bool const left = wanted < own;
      int const above = left ? wanted + 1 : wanted - 1;
      interval const sites =
          left ? interval{at.sites.first, start(u, wanted + 1)} : interval{start(u, wanted), at.sites.last};
      return {{sites, start(u, wanted)}, above == own ? at.leader : start(u, above)};
    }
    for (const branch& part : parts_of(at))
      if (part.sites.has(site)) return {part, at.leader};
    return {at, at.leader};
  }

  branch all_;
  int far_, near_;
  std::vector<int> firsts_;
};

}  // namespace amity::collectives
