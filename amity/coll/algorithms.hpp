#pragma once

/// The algorithms of collectives, over any transport (transport.hpp). Header only, without threads or static objects.
///
/// Objects are values that an `as_bytes` and a `from_bytes` turn into messages; spans are elements that travel as
/// bytes, and are worked on in place. The order of sites is kept by all of them, unless it is said otherwise.
///
/// Sources: Chan, Heimlich, Purkayastha, van de Geijn, "Collective communication: theory, practice, and experience"
/// (2007); Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH" (2005); Bruck et
/// al., "Efficient algorithms for all-to-all communications in multiport message-passing systems" (1997); Hillis,
/// Steele, "Data parallel algorithms" (1986) for scans.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "amity/coll/transport.hpp"
#include "amity/coll/tree.hpp"

namespace amity::collectives::algorithms {

/// Tags of the steps: messages of one step are told from those of another.
enum step : int { down = 1, up = 2, round_base = 16, back = 1 << 20 };

using bytes_view = std::span<const std::byte>;

template <class T>
[[nodiscard]] bytes_view view_of(std::span<T> s) noexcept {
  return std::as_bytes(s);
}

// --- from one to all

/// The root's bytes come to all. `here` is the root's; what is given is everybody's: `take(bytes)` is called with what
/// came, not at the root.
template <transport T, class Take>
void broadcast_bytes(T& t, const tree& tr, bytes_view here, Take take) {
  tree::place const p = tr.place_of(t.site());
  auto pass_on = [&](bytes_view bytes) {
    for (const tree::level& l : p.levels)
      for (const branch& part : l.parts)
        if (part.leader != t.site()) t.send(part.leader, down, bytes);
  };
  if (p.parent < 0) return pass_on(here);
  auto const message = t.receive(p.parent, down);
  pass_on(message.bytes());
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

// --- from all to one

/// Combines everybody's value in the order of sites; the result is the root's. `receive_value(bytes)` makes a value;
/// `send_value(value, send)` calls send(bytes). `combine(left, right)` gives left combined with right.
template <transport T, class V, class SendValue, class ReceiveValue, class Combine>
void reduce_values(T& t, const tree& tr, V& value, SendValue send_value, ReceiveValue receive_value, Combine combine) {
  tree::place const p = tr.place_of(t.site());
  // From the smallest branch to the largest: what is left of the own part, the own part, what is right of it.
  for (auto l = p.levels.rbegin(); l != p.levels.rend(); ++l) {
    for (int i = l->own - 1; i >= 0; --i) {
      auto const message = t.receive(l->parts[static_cast<std::size_t>(i)].leader, up);
      value = combine(receive_value(message.bytes()), std::move(value));
    }
    for (std::size_t i = static_cast<std::size_t>(l->own) + 1; i < l->parts.size(); ++i) {
      auto const message = t.receive(l->parts[i].leader, up);
      value = combine(std::move(value), receive_value(message.bytes()));
    }
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

/// Parts of a gather, as one message: how many, and each with its length.
class packed_parts {
 public:
  void add(bytes_view bytes) {
    std::uint64_t const size = bytes.size();
    auto const* const at = reinterpret_cast<const std::byte*>(&size);
    bytes_.insert(bytes_.end(), at, at + sizeof size);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void add_packed(bytes_view packed) { bytes_.insert(bytes_.end(), packed.begin(), packed.end()); }
  [[nodiscard]] bytes_view bytes() const noexcept { return bytes_; }
  /// `take(bytes)` of each, in order. False: they are no such parts.
  template <class Take>
  static bool each(bytes_view packed, Take take) {
    while (!packed.empty()) {
      std::uint64_t size;
      if (packed.size() < sizeof size) return false;
      std::memcpy(&size, packed.data(), sizeof size);
      packed = packed.subspan(sizeof size);
      if (packed.size() < size) return false;
      take(packed.first(size));
      packed = packed.subspan(size);
    }
    return true;
  }

 private:
  std::vector<std::byte> bytes_;
};

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

// --- spans of elements that are added up one by one

/// In how many parts `n` elements are divided among `parts`: that of one.
[[nodiscard]] inline std::pair<std::size_t, std::size_t> part_of(std::size_t n, int parts, int which) noexcept {
  auto const p = static_cast<std::size_t>(parts), w = static_cast<std::size_t>(which);
  std::size_t const each = n / p, more = n % p;
  std::size_t const first = w * each + std::min(w, more);
  return {first, each + (w < more ? 1 : 0)};
}

/// `fold(into, bytes)` combines elements from another site into those here, from the left if `from_left`.
template <transport T, class E, class Fold>
void reduce_span(T& t, const tree& tr, std::span<E> mine, Fold fold) {
  tree::place const p = tr.place_of(t.site());
  for (auto l = p.levels.rbegin(); l != p.levels.rend(); ++l) {
    for (int i = l->own - 1; i >= 0; --i) {
      auto const message = t.receive(l->parts[static_cast<std::size_t>(i)].leader, up);
      fold(mine, message.bytes(), true);
    }
    for (std::size_t i = static_cast<std::size_t>(l->own) + 1; i < l->parts.size(); ++i) {
      auto const message = t.receive(l->parts[i].leader, up);
      fold(mine, message.bytes(), false);
    }
  }
  if (p.parent >= 0) t.send(p.parent, up, view_of(mine));
}

/// An all-reduce of much: round a ring, each site combines its part of all, and then passes it round. Each byte goes
/// out twice, whatever the number of sites. For operations that don't mind the order.
template <transport T, class E, class Fold>
void all_reduce_ring(T& t, std::span<E> mine, Fold fold) {
  int const n = t.sites(), me = t.site(), next = (me + 1) % n, before = (me + n - 1) % n;
  auto const part = [&](int which) {
    auto const [first, count] = part_of(mine.size(), n, (which % n + n) % n);
    return mine.subspan(first, count);
  };
  for (int round = 0; round < n - 1; ++round) {
    t.send(next, round_base + round, view_of(part(me - round)));
    auto const message = t.receive(before, round_base + round);
    fold(part(me - round - 1), message.bytes(), true);
  }
  for (int round = 0; round < n - 1; ++round) {
    t.send(next, back + round, view_of(part(me + 1 - round)));
    auto const message = t.receive(before, back + round);
    std::span<E> const into = part(me - round);
    std::memcpy(into.data(), message.bytes().data(), std::min(message.bytes().size(), into.size_bytes()));
  }
}

}  // namespace amity::collectives::algorithms
