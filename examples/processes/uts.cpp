// Unbalanced tree search: how many nodes has a tree that nobody can foresee? Processes without work take subtrees from
// others.
//
//   amity run -n 4 build/examples/uts 7                      # depth 7; 10 is the published tree T1 with 4130071 nodes
//   AMITY_DISTRIBUTED_STEALING=random amity run -n 4 build/examples/uts 10
//
// The tree is that of the UTS benchmark (Olivier et al., "UTS: an unbalanced tree search benchmark", 2006), geometric
// with 4 children on the average: a node is the SHA-1 hash of its parent and of its number among its siblings.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "../usage.hpp"
#include "amity/amity.hpp"

namespace {

using hash = std::array<std::uint32_t, 5>;

// SHA-1 (FIPS 180-4) of six words: one block.
hash sha1(const std::array<std::uint32_t, 6>& words, unsigned count) {
  std::array<std::uint32_t, 80> w{};
  for (unsigned i = 0; i < count; ++i) w[i] = words[i];
  w[count] = 0x80000000;
  w[15] = count * 32;
  for (unsigned i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  hash h{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  auto [a, b, c, d, e] = h;
  for (unsigned i = 0; i < 80; ++i) {
    std::uint32_t const f = i < 20 ? (b & c) | (~b & d) : i < 40 || i >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
    constexpr std::uint32_t k[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    std::uint32_t const next = std::rotl(a, 5) + f + e + k[i / 20] + w[i];
    e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
  }
  return {h[0] + a, h[1] + b, h[2] + c, h[3] + d, h[4] + e};
}

struct node {
  hash id;
  int depth;
};

node root() { return {sha1({0, 0, 0, 0, 19}, 5), 0}; }
node child(const node& n, int i) {
  return {sha1({n.id[0], n.id[1], n.id[2], n.id[3], n.id[4], static_cast<std::uint32_t>(i)}, 6), n.depth + 1};
}
int children(const node& n, int deepest) {
  if (n.depth >= deepest) return 0;
  double const u = (n.id[4] & 0x7fffffff) / 2147483648.0, p = 1.0 / (1.0 + 4.0);
  return std::min(100, static_cast<int>(std::floor(std::log(1 - u) / std::log(1 - p))));
}

std::atomic<long> found{0};  // of each process

void search(node n, int deepest) {
  long mine = 1;
  for (int i = children(n, deepest); i-- > 0;) {
    node const c = child(n, i);
    if (children(c, deepest) == 0)
      ++mine;  // not worth a task
    else
      amity::async_any(search, c, deepest);
  }
  found += mine;
}

long count(const node& n, int deepest) {
  long all = 1;
  for (int i = children(n, deepest); i-- > 0;) all += count(child(n, i), deepest);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[depth = 6]");
  int const deepest = argc > 1 ? std::atoi(argv[1]) : 6;
  if (amity::get_stealing() == amity::stealing::off) amity::set_stealing(amity::stealing::lifelines);
  amity::barrier_all();
  amity::finish_spmd([deepest] {
    if (amity::rank_me() == 0) amity::async_any(search, root(), deepest);
  });
  namespace co = amity::collectives;
  auto const by_process = co::gather(co::world(), found.load()).get();
  if (amity::rank_me() != 0) return 0;
  long all = 0;
  for (long n : by_process) all += n;
  long const expected = deepest == 10 ? 4'130'071 : count(root(), deepest);
  std::printf("%ld nodes, expected %ld; by process:", all, expected);
  for (long n : by_process) std::printf(" %ld", n);
  std::puts(all == expected ? ": right" : ": wrong");
  return all == expected ? 0 : 1;
}
