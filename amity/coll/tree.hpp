#pragma once

/// The trees of collectives: sites 0 to n-1 as an interval that is divided, and divided again. Each interval has a
/// leader. So what is combined along the tree keeps the order of the sites, for any root and any arity.
///
///     tree const t(16, 4, 0);          // 16 sites, arity 4: 0 leads, and below it 4, 8, 12
///     t.walk_down(site, [&](int parent, interval) { ... }, [&](int child, interval) { ... });
///
/// Header only, without threads or static objects: simulators use it, too.

#include <algorithm>
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
  /// `arity`: into how many parts an interval is divided, 2 at least. `root` leads all.
  tree(int sites, int arity, int root) noexcept
      : all_{{0, sites}, root}, arity_(std::max(2, std::min(arity, std::max(2, sites)))) {}

  /// The parts of a branch, in the order of their sites. That with the leader keeps it; the others are led by their
  /// first site. A branch of one site has none.
  [[nodiscard]] std::vector<branch> parts_of(const branch& b) const {
    std::vector<branch> parts;
    int const n = b.sites.size();
    if (n <= 1) return parts;
    int const count = std::min(arity_, n);
    int first = b.sites.first;
    for (int i = 0; i < count; ++i) {
      int const size = n / count + (i < n % count ? 1 : 0);
      interval const sites{first, first + size};
      parts.push_back({sites, sites.has(b.leader) ? b.leader : first});
      first += size;
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
    int parent = -1;
    while (at.leader != site) {
      for (const branch& part : parts_of(at))
        if (part.sites.has(site)) {
          if (part.leader == site) parent = at.leader;
          at = part;
          break;
        }
    }
    found.parent = parent;
    found.led = at;
    while (at.sites.size() > 1) {
      level l{at, parts_of(at), 0};
      for (std::size_t i = 0; i < l.parts.size(); ++i)
        if (l.parts[i].sites.has(site)) l.own = static_cast<int>(i);
      at = l.parts[l.own];
      found.levels.push_back(std::move(l));
    }
    return found;
  }

 private:
  branch all_;
  int arity_;
};

}  // namespace amity::collectives
