#pragma once

/// Algorithms on bytes and on values that become bytes; algorithms.hpp says more.

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "amity/coll/algorithms/steps.hpp"

namespace amity::collectives::algorithms {

// --- from one to all

/// The root's bytes come to all. `here` is the root's; what is given is everybody's: `take(bytes)` is called with what
/// came, not at the root.
template <transport T, class Take>
void broadcast_bytes(T& t, const tree& tr, bytes_view here, Take take) {
  tree::place const p = tr.place_of(t.site());
  std::vector<int> const to = below(p, t.site());
  if (p.parent < 0) return send_to_all(t, to, down, here);
  auto const message = t.receive(p.parent, down);
  send_to_all(t, to, down, message.bytes());
  take(message.bytes());
}

/// Each site gets its own part of the root's, whatever the sizes. `part(site)` gives the bytes for a site, at the root;
/// `take(bytes)` gets this site's. Straight from the root: it has to send each byte anyway.
template <transport T, class Part, class Take>
void scatter_straight(T& t, int root, Part part, Take take) {
  if (t.site() != root) {
    auto const message = t.receive(root, down);
    return take(message.bytes());
  }
  for (int i = 1; i < t.sites(); ++i) {
    int const to = (root + i) % t.sites();
    t.send(to, down, part(to));
  }
  take(part(root));
}

/// The same along a tree: for what is small. What is for others travels with it.
template <transport T, class Part, class Take>
void scatter_by_tree(T& t, const tree& tr, Part part, Take take) {
  tree::place const p = tr.place_of(t.site());
  std::vector<bytes_view> parts;  // of the sites below, from p.led.sites.first on
  auto const pass_on = [&] {
    auto const of = [&](int site) { return parts[static_cast<std::size_t>(site - p.led.sites.first)]; };
    for (const tree::level& l : p.levels)
      for (const branch& b : l.parts) {
        if (b.leader == t.site()) continue;
        packed_parts packed;
        for (int site = b.sites.first; site < b.sites.last; ++site) packed.add(of(site));
        t.send(b.leader, down, packed.bytes());
      }
    take(of(t.site()));
  };
  if (p.parent < 0) {
    for (int site = 0; site < t.sites(); ++site) parts.push_back(part(site));
    return pass_on();
  }
  auto const message = t.receive(p.parent, down);
  packed_parts::each(message.bytes(), [&](bytes_view bytes) { parts.push_back(bytes); });
  pass_on();
}

// --- from all to one

/// Combines everybody's value in the order of sites; the result is the root's. `receive_value(bytes)` makes a value;
/// `send_value(value, send)` calls send(bytes). `combine(left, right)` gives left combined with right.
template <transport T, class V, class SendValue, class ReceiveValue, class Combine>
void reduce_values(T& t, const tree& tr, V& value, SendValue send_value, ReceiveValue receive_value, Combine combine) {
  tree::place const p = tr.place_of(t.site());
  auto const children = children_of(p);
  for (auto const& [child, from_left] : children) expect(t, child, up, of_any_length);
  for (auto const& [child, from_left] : children) {
    auto const message = t.receive(child, up);
    if (from_left)
      value = combine(receive_value(message.bytes()), std::move(value));
    else
      value = combine(std::move(value), receive_value(message.bytes()));
  }
  if (p.parent >= 0) send_value(value, [&](bytes_view bytes) { t.send(p.parent, up, bytes); });
}

/// Everybody's bytes come to the root, straight. `take(site, bytes)` is called there, in the order of sites.
template <transport T, class Take>
void gather_straight(T& t, int root, bytes_view mine, Take take) {
  if (t.site() != root) return t.send(root, up, mine);
  for (int from = 0; from < t.sites(); ++from) {
    if (from == root) {
      take(from, mine);
      continue;
    }
    auto const message = t.receive(from, up);
    take(from, message.bytes());
  }
}

/// The same along a tree: for what is small. `take(site, bytes)` at the root.
template <transport T, class Take>
void gather_by_tree(T& t, const tree& tr, bytes_view mine, Take take) {
  packed_parts all;
  all.add(mine);
  reduce_values(
      t, tr, all, [](const packed_parts& p, auto send) { send(p.bytes()); },
      [](bytes_view bytes) {
        packed_parts p;
        p.add_packed(bytes);
        return p;
      },
      [](packed_parts left, packed_parts right) {
        left.add_packed(right.bytes());
        return left;
      });
  if (tr.place_of(t.site()).parent >= 0) return;
  int site = 0;
  packed_parts::each(all.bytes(), [&](bytes_view bytes) { take(site++, bytes); });
}

// --- from all to all

/// All meet (dissemination).
template <transport T>
void barrier(T& t) {
  int const n = t.sites(), me = t.site();
  for (int distance = 1, round = round_base; distance < n; distance *= 2, ++round) {
    t.send((me + distance) % n, round, {});
    static_cast<void>(t.receive((me + n - distance) % n, round));
  }
}

/// Everybody's bytes come to all. `take(site, bytes)`, in any order. Log2 of all rounds (Bruck): for what is small.
template <transport T, class Take>
void all_gather_bytes(T& t, bytes_view mine, Take take) {
  int const n = t.sites(), me = t.site();
  std::vector<std::vector<std::byte>> have;  // of me, me + 1, ...
  have.emplace_back(mine.begin(), mine.end());
  for (int distance = 1, round = round_base; distance < n; distance *= 2, ++round) {
    packed_parts parts;
    int const count = std::min(distance, n - distance);
    for (int i = 0; i < count; ++i) parts.add(have[static_cast<std::size_t>(i)]);
    t.send((me + n - distance) % n, round, parts.bytes());
    auto const message = t.receive((me + distance) % n, round);
    packed_parts::each(message.bytes(), [&](bytes_view b) { have.emplace_back(b.begin(), b.end()); });
  }
  for (int i = 0; i < n; ++i) take((me + i) % n, bytes_view(have[static_cast<std::size_t>(i)]));
}

/// The same round a ring: for what is large. Each message goes to the neighbour.
template <transport T, class Take>
void all_gather_ring(T& t, bytes_view mine, Take take) {
  int const n = t.sites(), me = t.site();
  take(me, mine);
  if (n == 1) return;
  t.send((me + 1) % n, round_base, mine);
  for (int i = 1; i < n; ++i) {
    auto const message = t.receive((me + n - 1) % n, round_base + i - 1);
    if (i + 1 < n) t.send((me + 1) % n, round_base + i, message.bytes());
    take((me + n - i) % n, message.bytes());
  }
}

/// The same straight: one message from each to each.
template <transport T, class Take>
void all_gather_straight(T& t, bytes_view mine, Take take) {
  int const n = t.sites(), me = t.site();
  std::vector<int> others;
  for (int i = 1; i < n; ++i) others.push_back((me + i) % n);
  for (int i = 1; i < n; ++i) expect(t, (me + n - i) % n, back, of_any_length);
  send_to_all(t, others, back, mine);
  take(me, mine);
  for (int i = 1; i < n; ++i) {
    int const from = (me + n - i) % n;
    auto const message = t.receive(from, back);
    take(from, message.bytes());
  }
}

/// Each site has bytes for each. `part(to)` gives them, `take(from, bytes)` gets them. Pairwise.
template <transport T, class Part, class Take>
void all_to_all_bytes(T& t, Part part, Take take) {
  int const n = t.sites(), me = t.site();
  for (int i = 1; i < n; ++i) t.send((me + i) % n, round_base + i, part((me + i) % n));
  take(me, part(me));
  for (int i = 1; i < n; ++i) {
    int const from = (me + n - i) % n;
    auto const message = t.receive(from, round_base + i);
    take(from, message.bytes());
  }
}

/// The same of packed parts: `pack(to, packed)` puts them together, `take(from, bytes)` gets them in the order of
/// sites, the own ones too.
template <transport T, class Pack, class Take>
void exchange_parts(T& t, Pack pack, Take take) {
  int const n = t.sites(), me = t.site();
  packed_parts own;
  for (int i = 0; i < n; ++i) {
    int const to = (me + i) % n;
    packed_parts p;
    pack(to, p);
    if (to == me)
      own = std::move(p);
    else
      t.send(to, round_base, p.bytes());
  }
  for (int from = 0; from < n; ++from) {
    if (from == me) {
      take(me, own.bytes());
      continue;
    }
    auto const message = t.receive(from, round_base);
    take(from, message.bytes());
  }
}

/// `value` becomes the combination of all in the order of sites, everywhere. By recursive doubling, where the number of
/// sites is a power of two: then each has a block of neighbours' after each round.
template <transport T, class V, class SendValue, class ReceiveValue, class Combine>
void all_reduce_doubling(T& t, V& value, SendValue send_value, ReceiveValue receive_value, Combine combine) {
  int const n = t.sites(), me = t.site();
  for (int distance = 1, round = round_base; distance < n; distance *= 2, ++round) {
    int const other = me ^ distance;
    send_value(value, [&](bytes_view bytes) { t.send(other, round, bytes); });
    auto const message = t.receive(other, round);
    if (other < me)
      value = combine(receive_value(message.bytes()), std::move(value));
    else
      value = combine(std::move(value), receive_value(message.bytes()));
  }
}

/// `value` becomes the combination of the sites up to this one, `before` that of those before it. `has_before` says
/// whether there are any. Log2 of all rounds (Hillis and Steele), in which the block that ends here doubles.
template <transport T, class V, class SendValue, class ReceiveValue, class Combine>
void scan_values(T& t, V& value, V& before, bool& has_before, SendValue send_value, ReceiveValue receive_value,
                 Combine combine) {
  int const n = t.sites(), me = t.site();
  has_before = false;
  for (int distance = 1, round = round_base; distance < n; distance *= 2, ++round) {
    if (me + distance < n) send_value(value, [&](bytes_view bytes) { t.send(me + distance, round, bytes); });
    if (me - distance < 0) continue;
    auto const message = t.receive(me - distance, round);
    if (has_before)
      before = combine(receive_value(message.bytes()), std::move(before));
    else
      before = receive_value(message.bytes());
    has_before = true;
    value = combine(receive_value(message.bytes()), std::move(value));
  }
}

}  // namespace amity::collectives::algorithms
