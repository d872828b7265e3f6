// The algorithms of collectives over a transport of threads and queues, for every number of sites up to 17, every root
// and several arities.

#include "amity/coll/algorithms.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "amity/coll/placement.hpp"
#include "amity/coll/test_transport.hpp"

namespace amity::collectives {
namespace {

using namespace test;

constexpr int most = 17;

template <class Body>
void each_tree(Body body) {
  for (int n = 1; n <= most; ++n)
    for (int root : {0, n / 2, n - 1})
      for (int arity : {tree::chain, 2, 3, 4, 8, n + 2}) body(n, tree(n, arity, root), root);
}

TEST(Tree, SixteenSitesOfArityFourAreLedByFour) {
  tree::place const top = tree(16, 4, 0).place_of(0);
  std::vector<int> leaders;
  for (const branch& part : top.levels.at(0).parts) leaders.push_back(part.leader);
  EXPECT_EQ(leaders, (std::vector<int>{0, 4, 8, 12}));
  EXPECT_EQ(tree(16, 4, 0).place_of(6).parent, 4);
}

TEST(Tree, EverySiteHasOneParentAndIsReached) {
  each_tree([](int n, const tree& t, int root) {
    std::vector<int> children(static_cast<std::size_t>(n));
    for (int s = 0; s < n; ++s) {
      tree::place const p = t.place_of(s);
      EXPECT_EQ(p.parent < 0, s == root);
      for (const tree::level& l : p.levels)
        for (const branch& part : l.parts)
          if (part.leader != s) {
            EXPECT_EQ(t.place_of(part.leader).parent, s);
            ++children[static_cast<std::size_t>(part.leader)];
          }
    }
    for (int s = 0; s < n; ++s) EXPECT_EQ(children[static_cast<std::size_t>(s)], s == root ? 0 : 1);
  });
}

TEST(Tree, OfAChainEachTellsItsNeighbour) {
  tree const t(7, tree::chain, 3);
  for (int s = 0; s < 7; ++s) EXPECT_EQ(t.place_of(s).parent, s == 3 ? -1 : s < 3 ? s + 1 : s - 1);
}

TEST(Tree, NodesAreLedByOneEach) {
  tree const t(16, 2, 5, {0, 4, 8, 16}, 8);
  EXPECT_EQ(t.place_of(5).parent, -1);
  EXPECT_EQ(t.place_of(0).parent, 5);
  EXPECT_EQ(t.place_of(8).parent, 5);
  EXPECT_EQ(t.place_of(7).parent, 5);
  EXPECT_EQ(t.place_of(3).parent, 0);
  EXPECT_EQ(t.place_of(15).parent, 8);
  tree const chained(16, tree::chain, 15, {0, 4, 8, 16}, tree::chain);
  EXPECT_EQ(chained.place_of(8).parent, 9);
  EXPECT_EQ(chained.place_of(4).parent, 15);
  EXPECT_EQ(chained.place_of(0).parent, 4);
  EXPECT_EQ(chained.place_of(6).parent, 5);
}

TEST(Tree, OneEdgeLeadsToEachOtherNode) {
  for (int n = 1; n <= most; ++n)
    for (const auto& nodes : placements(n))
      for (int root = 0; root < n; ++root)
        for (int far : {tree::chain, 2, 4})
          for (int near : {tree::chain, 2, 8}) {
            placement const p(nodes);
            if (!p.has_nodes()) continue;
            tree const t(n, far, p.place_of(root), p.firsts(), near);
            std::set<int> entered;
            int edges = 0;
            for (int s = 0; s < n; ++s) {
              int const above = t.place_of(s).parent;
              if (above < 0) continue;
              int const node = nodes[static_cast<std::size_t>(p.site_of(s))];
              if (nodes[static_cast<std::size_t>(p.site_of(above))] == node) continue;
              ++edges;
              entered.insert(node);
            }
            EXPECT_EQ(edges, static_cast<int>(p.firsts().size()) - 2);
            EXPECT_EQ(entered.size(), p.firsts().size() - 2);
          }
}

TEST(Placement, SitesOfANodeBecomeNeighbours) {
  placement const dealt(std::vector{4, 2, 4, 2, 2});
  EXPECT_TRUE(dealt.has_nodes());
  EXPECT_FALSE(dealt.is_in_order());
  EXPECT_EQ(dealt.firsts(), (std::vector{0, 2, 5}));
  EXPECT_EQ(dealt.site_of(1), 2);
  EXPECT_EQ(dealt.place_of(2), 1);
  EXPECT_EQ(dealt.sites_per_node(), 0);
  EXPECT_EQ(dealt.nodes(), 2);
  EXPECT_EQ(dealt.node_of(2), 0);
  EXPECT_EQ(dealt.node_of(4), 1);
  std::span<const int> const second = dealt.sites_of(1);
  EXPECT_EQ(std::vector<int>(second.begin(), second.end()), (std::vector{1, 3, 4}));
  EXPECT_EQ(dealt.most_sites_of_a_node(), 3);
  placement const even(std::vector{0, 0, 1, 1});
  EXPECT_TRUE(even.is_in_order());
  EXPECT_EQ(even.sites_per_node(), 2);
  for (const auto& nodes : {std::vector<int>{}, {3}, {3, 3, 3}, {0, 1, 2}}) {
    placement const nothing(nodes);
    EXPECT_FALSE(nothing.has_nodes());
    EXPECT_EQ(nothing.site_of(0), 0);
    EXPECT_EQ(nothing.sites_per_node(), 0);
    EXPECT_EQ(nothing.nodes(), 0);
    EXPECT_EQ(nothing.most_sites_of_a_node(), 0);
  }
}

TEST(Algorithms, Broadcast) {
  each_tree([](int n, const tree& t, int root) {
    at_all(n, [&](local_transport& at) {
      std::string got = at.me == root ? "word" : "";
      algorithms::broadcast_bytes(at, t, bytes_of(got), [&](auto bytes) { got = text_of(bytes); });
      EXPECT_EQ(got, "word");
    });
  });
}

TEST(Algorithms, ReduceKeepsTheOrder) {
  each_tree([](int n, const tree& t, int root) {
    at_all(n, [&](local_transport& at) {
      std::string value = letter(at.me);
      algorithms::reduce_values(at, t, value, send_text, text_of, join);
      if (at.me == root) {
        EXPECT_EQ(value, letters(0, n));
      }
    });
  });
}

TEST(Algorithms, GatherAndScatter) {
  each_tree([](int n, const tree& t, int root) {
    at_all(n, [&](local_transport& at) {
      std::string const mine(static_cast<std::size_t>(at.me), letter(at.me)[0]);
      std::map<int, std::string> by_tree, straight;
      algorithms::gather_by_tree(at, t, bytes_of(mine), [&](int site, auto bytes) { by_tree[site] = text_of(bytes); });
      algorithms::gather_straight(at, root, bytes_of(mine),
                                  [&](int site, auto bytes) { straight[site] = text_of(bytes); });
      EXPECT_EQ(by_tree, straight);
      EXPECT_EQ(by_tree.size(), at.me == root ? static_cast<std::size_t>(n) : 0u);
      if (at.me == root) {
        EXPECT_EQ(by_tree[n - 1], std::string(static_cast<std::size_t>(n - 1), letter(n - 1)[0]));
      }
      std::string part, part_by_tree;
      std::vector<std::string> parts;
      for (int i = 0; i < n; ++i) parts.push_back("for " + letter(i));
      auto const part_of = [&](int to) { return bytes_of(parts[static_cast<std::size_t>(to)]); };
      algorithms::scatter_straight(at, root, part_of, [&](auto bytes) { part = text_of(bytes); });
      EXPECT_EQ(part, "for " + letter(at.me));
      algorithms::barrier(at);
      algorithms::scatter_by_tree(at, t, part_of, [&](auto bytes) { part_by_tree = text_of(bytes); });
      EXPECT_EQ(part_by_tree, part);
    });
  });
}

TEST(Algorithms, AllGather) {
  for (int n = 1; n <= most; ++n)
    at_all(n, [&](local_transport& at) {
      for (int way = 0; way < 2; ++way) {
        std::map<int, std::string> all;
        std::string const mine = "from " + letter(at.me);
        auto const take = [&](int site, auto bytes) { all[site] = text_of(bytes); };
        if (way == 0)
          algorithms::all_gather_bytes(at, bytes_of(mine), take);
        else
          algorithms::all_gather_ring(at, bytes_of(mine), take);
        EXPECT_EQ(all.size(), static_cast<std::size_t>(n));
        for (int i = 0; i < n; ++i) EXPECT_EQ(all[i], "from " + letter(i));
        algorithms::barrier(at);
      }
    });
}

TEST(Algorithms, AllToAll) {
  for (int n = 1; n <= most; ++n)
    at_all(n, [&](local_transport& at) {
      std::vector<std::string> parts;
      for (int to = 0; to < n; ++to) parts.push_back(letter(at.me) + letter(to));
      std::map<int, std::string> got;
      algorithms::all_to_all_bytes(
          at, [&](int to) { return bytes_of(parts[static_cast<std::size_t>(to)]); },
          [&](int from, auto bytes) { got[from] = text_of(bytes); });
      for (int from = 0; from < n; ++from) EXPECT_EQ(got[from], letter(from) + letter(at.me));
    });
}

TEST(Algorithms, AllReduceByDoublingKeepsTheOrder) {
  for (int n : {1, 2, 4, 8, 16})
    at_all(n, [&](local_transport& at) {
      std::string value = letter(at.me);
      algorithms::all_reduce_doubling(at, value, send_text, text_of, join);
      EXPECT_EQ(value, letters(0, n));
    });
}

TEST(Algorithms, ScansKeepTheOrder) {
  for (int n = 1; n <= most; ++n)
    at_all(n, [&](local_transport& at) {
      std::string value = letter(at.me), before;
      bool has_before = false;
      algorithms::scan_values(at, value, before, has_before, send_text, text_of, join);
      EXPECT_EQ(value, letters(0, at.me + 1));
      EXPECT_EQ(has_before, at.me > 0);
      EXPECT_EQ(before, letters(0, at.me));
    });
}

// Of one piece, of several, and of fewer elements than there are sites.
constexpr std::size_t counts[] = {0, 3, 17, 1000, 40'000};

TEST(Algorithms, SpansAreReducedInPlace) {
  for (int n = 1; n <= 9; ++n)
    for (std::size_t count : counts)
      at_all(n, [&](local_transport& at) {
        auto const expected = [&](std::size_t i) { return n * static_cast<long>(i) + n * (n - 1) / 2; };
        std::vector<long> values(count);
        std::span<long> const all(values);
        auto const begin = [&] { std::iota(values.begin(), values.end(), at.me); };
        auto const part = [&](int site) {
          auto const [first, size] = algorithms::part_of(count, n, site);
          return all.subspan(first, size);
        };
        begin();
        algorithms::reduce_scatter_span<local_transport, long>(at, part, add);
        auto const [first, size] = algorithms::part_of(count, n, at.me);
        for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(part(at.me)[i], expected(first + i));
        algorithms::barrier(at);
        algorithms::all_gather_span<local_transport, long>(at, part, fill, algorithms::piece_bytes);
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(values[i], expected(i));
        algorithms::barrier(at);
        begin();
        algorithms::reduce_span(at, tree(n, 2, n - 1), all, add);
        for (std::size_t i = 0; i < count && at.me == n - 1; ++i) ASSERT_EQ(values[i], expected(i));
        algorithms::barrier(at);
        algorithms::broadcast_span(at, tree(n, 3, n - 1), all, fill);
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(values[i], expected(i));
      });
}

TEST(Algorithms, SpansAreGatheredAndScattered) {
  for (int n = 1; n <= 9; ++n)
    for (std::size_t piece : {algorithms::piece_bytes, algorithms::as_a_whole})
      for (std::size_t count : counts)
        at_all(n, [&](local_transport& at) {
          int const root = n / 2;
          std::vector<long> mine(count), all(count * static_cast<std::size_t>(n)), back(count);
          std::iota(mine.begin(), mine.end(), at.me * 100'000);
          auto const part = [&](int site) {
            return std::span<long>(all).subspan(count * static_cast<std::size_t>(site), count);
          };
          algorithms::gather_span(at, root, std::span<long>(mine), part, fill, piece);
          if (at.me == root) std::copy(mine.begin(), mine.end(), part(root).begin());
          algorithms::barrier(at);
          algorithms::scatter_span(at, root, part, std::span<long>(back), fill, piece);
          if (at.me != root) {
            EXPECT_EQ(back, mine);
          }
          algorithms::barrier(at);
          std::vector<long> got(all.size());
          for (std::size_t i = 0; i < all.size(); ++i) all[i] = at.me * 1'000'000 + static_cast<long>(i);
          auto const place = [&](int site) {
            return std::span<long>(got).subspan(count * static_cast<std::size_t>(site), count);
          };
          algorithms::all_to_all_span<local_transport, long>(at, part, place, fill, piece);
          for (int from = 0; from < n; ++from)
            for (std::size_t i = 0; i < count && from != at.me; ++i)
              ASSERT_EQ(place(from)[i],
                        from * 1'000'000 + static_cast<long>(count * static_cast<std::size_t>(at.me) + i));
        });
}

TEST(Algorithms, SpansAreScanned) {
  for (int n = 1; n <= 9; ++n)
    at_all(n, [&](local_transport& at) {
      std::vector<long> values(5, at.me + 1), before;
      algorithms::scan_span(at, std::span<long>(values), before, add);
      EXPECT_EQ(values[4], (at.me + 1) * (at.me + 2) / 2);
      EXPECT_EQ(before.empty(), at.me == 0);
      if (at.me > 0) {
        EXPECT_EQ(before[0], at.me * (at.me + 1) / 2);
      }
    });
}

}  // namespace
}  // namespace amity::collectives
