// Operations by each method that a table may name: for every root, over sites whose nodes are known, dealt in turn,
// uneven or not known; over a transport that can do the least, and over one that can do all.

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "amity/coll/algorithms.hpp"
#include "amity/coll/test_transport.hpp"

namespace amity::collectives {
namespace {

using namespace test;
using tuning::choice;
using tuning::method;

/// `body(transport, choice, placement, root)` at all sites, for each choice that is asked for.
template <class Body>
void each_way(std::initializer_list<choice> choices, std::size_t roots, Body body) {
  for (int n : {1, 2, 5, 8, 12})
    for (const auto& nodes : placements(n))
      for (const choice& c : choices)
        for (int root = 0; root < (roots == 0 ? 1 : n); ++root) {
          placement const p(nodes);
          at_all(
              n, [&](local_transport& t) { body(t, c, p, root); }, /*once=*/true);
          at_all<able_transport>(
              n, [&](able_transport& t) { body(t, c, p, root); }, /*once=*/true);
        }
}
constexpr std::size_t every = 1, none = 0;
constexpr std::initializer_list<choice> trees = {{method::tree, 2, 4}, {method::tree, tree::chain, 8}};

TEST(Chosen, ValuesKeepTheOrder) {
  each_way(trees, every, [](auto& t, const choice& c, const placement& p, int root) {
    std::string value = letter(t.site());
    algorithms::reduce_values(t, c, p, /*in_order=*/true, root, value, send_text, text_of, join);
    if (t.site() == root) {
      EXPECT_EQ(value, letters(0, t.sites()));
    }
  });
  each_way({{method::doubling}, {method::tree, 2, 4}}, none, [](auto& t, const choice& c, const placement& p, int) {
    std::string value = letter(t.site());
    algorithms::all_reduce_values(t, c, p, /*in_order=*/true, value, send_text, text_of, join);
    EXPECT_EQ(value, letters(0, t.sites()));
  });
}

TEST(Chosen, ValuesThatNeedNoOrderAreAllTaken) {
  each_way(trees, every, [](auto& t, const choice& c, const placement& p, int root) {
    std::string value = letter(t.site());
    algorithms::reduce_values(t, c, p, /*in_order=*/false, root, value, send_text, text_of, join);
    std::sort(value.begin(), value.end());
    if (t.site() == root) {
      EXPECT_EQ(value, letters(0, t.sites()));
    }
  });
}

TEST(Chosen, ValuesAreMoved) {
  each_way({{method::tree, 2, 4}, {method::straight}}, every,
           [](auto& t, const choice& c, const placement& p, int root) {
             std::map<int, std::string> got;
             algorithms::gather_bytes(t, c, p, root, bytes_of(letter(t.site())),
                                      [&](int site, auto bytes) { got[site] = text_of(bytes); });
             EXPECT_EQ(got.size(), t.site() == root ? static_cast<std::size_t>(t.sites()) : 0u);
             for (const auto& [site, text] : got) EXPECT_EQ(text, letter(site));
           });
  each_way({{method::tree, 2, 4}, {method::straight}}, every,
           [](auto& t, const choice& c, const placement& p, int root) {
             std::string const all = letters(0, t.sites());
             std::string mine;
             algorithms::scatter_bytes(
                 t, c, p, root, [&](int site) { return bytes_of(all).subspan(static_cast<std::size_t>(site), 1); },
                 [&](auto bytes) { mine = text_of(bytes); });
             EXPECT_EQ(mine, letter(t.site()));
           });
  each_way({{method::bruck}, {method::ring}, {method::straight}}, none,
           [](auto& t, const choice& c, const placement& p, int) {
             std::map<int, std::string> got;
             algorithms::all_gather_bytes(t, c, p, bytes_of(letter(t.site())),
                                          [&](int site, auto bytes) { got[site] = text_of(bytes); });
             EXPECT_EQ(got.size(), static_cast<std::size_t>(t.sites()));
             for (const auto& [site, text] : got) EXPECT_EQ(text, letter(site));
           });
}

// x -> a x + b, modulo 2^32: composition keeps an order.
struct line {
  unsigned a, b;
  friend bool operator==(const line&, const line&) = default;
};
line then(const line& f, const line& g) { return {g.a * f.a, g.a * f.b + g.b}; }
line line_of(int site, std::size_t i) { return {2u * static_cast<unsigned>(site) + 3, static_cast<unsigned>(i + 1)}; }
std::vector<line> lines_of(int site, std::size_t count) {
  std::vector<line> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(line_of(site, i));
  return all;
}
std::vector<line> lines_of_all(int sites, std::size_t count) {
  std::vector<line> all = lines_of(0, count);
  for (int s = 1; s < sites; ++s)
    for (std::size_t i = 0; i < count; ++i) all[i] = then(all[i], line_of(s, i));
  return all;
}
constexpr auto compose = [](std::span<line> into, std::span<const std::byte> bytes, bool from_left) {
  ASSERT_EQ(bytes.size(), into.size_bytes());
  auto const* const other = reinterpret_cast<const line*>(bytes.data());
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = from_left ? then(other[i], into[i]) : then(into[i], other[i]);
};

constexpr std::size_t counts[] = {0, 7, 700};

TEST(Chosen, SpansAreReducedInOrder) {
  for (std::size_t count : counts) {
    each_way({{method::tree, tree::chain, 2, 1024}, {method::lanes, 2, 2}, {method::parts}}, every,
             [&](auto& t, const choice& c, const placement& p, int root) {
               std::vector<line> v = lines_of(t.site(), count);
               algorithms::reduce_span(t, c, p, /*in_order=*/true, root, std::span(v), compose, fill);
               if (t.site() == root) {
                 EXPECT_EQ(v, lines_of_all(t.sites(), count));
               }
             });
    each_way({{method::tree, 2, 4, 1024}, {method::lanes, 2, 2}, {method::parts}, {method::doubling}}, none,
             [&](auto& t, const choice& c, const placement& p, int) {
               std::vector<line> v = lines_of(t.site(), count);
               algorithms::all_reduce_span(t, c, p, /*in_order=*/true, std::span(v), compose, fill);
               EXPECT_EQ(v, lines_of_all(t.sites(), count));
             });
  }
}

TEST(Chosen, SpansThatNeedNoOrderAreSummed) {
  each_way({{method::tree, 2, 4, 1024}, {method::lanes, 2, 2}}, every,
           [](auto& t, const choice& c, const placement& p, int root) {
             std::vector<long> v(300, t.site() + 1);
             algorithms::reduce_span(t, c, p, /*in_order=*/false, root, std::span(v), add, fill);
             if (t.site() == root) {
               EXPECT_EQ(v, std::vector<long>(300, t.sites() * (t.sites() + 1) / 2));
             }
           });
}

TEST(Chosen, SpansAreBroadcast) {
  for (std::size_t count : counts)
    each_way({{method::tree, tree::chain, 4, 1024}, {method::tree, 2, 8, 1024}, {method::lanes}}, every,
             [&](auto& t, const choice& c, const placement& p, int root) {
               std::vector<line> v = t.site() == root ? lines_of(3, count) : std::vector<line>(count);
               algorithms::broadcast_span(t, c, p, root, std::span(v), fill);
               EXPECT_EQ(v, lines_of(3, count));
             });
}

/// Each site's part of a span of all.
template <class E>
auto parts_of(std::vector<E>& all, int sites) {
  std::size_t const each = all.size() / static_cast<std::size_t>(sites);
  return [&all, each](int site) { return std::span<E>(all).subspan(static_cast<std::size_t>(site) * each, each); };
}

TEST(Chosen, SpansAreGatheredAndScattered) {
  for (std::size_t count : counts) {
    each_way({{method::tree, 2, 4}, {method::straight}}, every,
             [&](auto& t, const choice& c, const placement& p, int root) {
               std::vector<long> all(count * static_cast<std::size_t>(t.sites()), -1), mine(count, t.site());
               auto const part = parts_of(all, t.sites());
               algorithms::gather_span(t, c, p, root, std::span(mine), part, fill, 1024);
               for (int s = 0; s < t.sites() && t.site() == root; ++s)
                 for (long x : part(s)) EXPECT_EQ(x, s == root ? -1 : s);
             });
    each_way({{method::tree, 2, 4}, {method::straight}}, every,
             [&](auto& t, const choice& c, const placement& p, int root) {
               std::vector<long> all(count * static_cast<std::size_t>(t.sites())), mine(count, -1);
               auto const part = parts_of(all, t.sites());
               for (int s = 0; s < t.sites(); ++s)
                 for (long& x : part(s)) x = s;
               algorithms::scatter_span(t, c, p, root, part, std::span(mine), fill, 1024);
               EXPECT_EQ(mine, std::vector<long>(count, t.site() == root ? -1 : t.site()));
             });
  }
}

TEST(Chosen, SpansAreMovedFromAllToAll) {
  for (std::size_t count : counts) {
    each_way({{method::bruck}, {method::ring}, {method::straight}, {method::lanes}}, none,
             [&](auto& t, const choice& c, const placement& p, int) {
               std::vector<long> all(count * static_cast<std::size_t>(t.sites()), -1);
               auto const part = parts_of(all, t.sites());
               for (long& x : part(t.site())) x = t.site();
               algorithms::all_gather_span<std::remove_reference_t<decltype(t)>, long>(t, c, p, part, fill, 1024);
               for (int s = 0; s < t.sites(); ++s)
                 for (long x : part(s)) EXPECT_EQ(x, s);
             });
    each_way({{method::straight}, {method::lanes}}, none, [&](auto& t, const choice& c, const placement& p, int) {
      std::vector<long> from(count * static_cast<std::size_t>(t.sites())), to(from.size(), -1);
      auto const part = parts_of(from, t.sites()), place = parts_of(to, t.sites());
      for (int s = 0; s < t.sites(); ++s)
        for (long& x : part(s)) x = t.site() * 100 + s;
      algorithms::all_to_all_span<std::remove_reference_t<decltype(t)>, long>(t, c, p, part, place, fill, 1024);
      for (int s = 0; s < t.sites(); ++s)
        for (long x : place(s)) EXPECT_EQ(x, s == t.site() ? -1 : s * 100 + t.site());
    });
  }
}

}  // namespace
}  // namespace amity::collectives
