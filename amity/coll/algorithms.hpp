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

/// The same bytes to several sites.
template <transport T>
void send_to_all(T& t, std::span<const int> to, int tag, bytes_view bytes) {
  if constexpr (requires { t.send_all(to, tag, bytes); }) {
    t.send_all(to, tag, bytes);
  } else {
    for (int site : to) t.send(site, tag, bytes);
  }
}

/// The sites that this one has to tell, in the tree.
[[nodiscard]] inline std::vector<int> below(const tree::place& p, int site) {
  std::vector<int> sites;
  for (const tree::level& l : p.levels)
    for (const branch& part : l.parts)
      if (part.leader != site) sites.push_back(part.leader);
  return sites;
}

/// Spans go in pieces of so many bytes: the receiver works on one while the next is under way. Both sides must know how
/// long the span is; else it goes as a whole.
inline constexpr std::size_t piece_bytes = 128 * 1024, as_a_whole = ~std::size_t{0};

/// `each(number, piece)` of the pieces of elements, at least one.
template <class E, class Each>
void each_piece(std::span<E> all, std::size_t bytes, Each each) {
  std::size_t const most = std::max<std::size_t>(1, bytes / sizeof(E));
  std::size_t first = 0;
  for (int number = 0; number == 0 || first < all.size(); ++number, first += most)
    each(number, all.subspan(first, std::min(most, all.size() - first)));
}

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

// --- spans of elements, in place and in pieces

/// In how many parts `n` elements are divided among `parts`: that of one.
[[nodiscard]] inline std::pair<std::size_t, std::size_t> part_of(std::size_t n, int parts, int which) noexcept {
  auto const p = static_cast<std::size_t>(parts), w = static_cast<std::size_t>(which);
  std::size_t const each = n / p, more = n % p;
  std::size_t const first = w * each + std::min(w, more);
  return {first, each + (w < more ? 1 : 0)};
}

/// To several sites, in pieces; `step` is the tag of the first.
template <transport T, class E>
void send_span(T& t, std::span<const int> to, int step, std::span<E> all, std::size_t piece = piece_bytes) {
  each_piece(all, piece,
             [&](int number, std::span<E> part) { send_to_all(t, to, step + number, std::as_bytes(part)); });
}
/// `fill(into, bytes)` with each piece that has come.
template <transport T, class E, class Fill>
void receive_span(T& t, int from, int step, std::span<E> into, Fill fill, std::size_t piece = piece_bytes) {
  each_piece(into, piece, [&](int number, std::span<E> part) {
    auto const message = t.receive(from, step + number);
    fill(part, message.bytes());
  });
}

/// The root's elements come to all. `fill(into, bytes)` writes them; `step` is the tag of the first piece.
template <transport T, class E, class Fill>
void broadcast_span(T& t, const tree& tr, std::span<E> mine, Fill fill, int step = round_base) {
  tree::place const p = tr.place_of(t.site());
  std::vector<int> const to = below(p, t.site());
  if (p.parent < 0) return send_span(t, to, step, mine);
  each_piece(mine, piece_bytes, [&](int number, std::span<E> piece) {
    auto const message = t.receive(p.parent, step + number);
    if (!to.empty()) send_to_all(t, to, step + number, message.bytes());
    fill(piece, message.bytes());
  });
}

/// `fold(into, bytes, from_left)` combines elements from another site into those here, from the left if `from_left`.
template <transport T, class E, class Fold>
void reduce_span(T& t, const tree& tr, std::span<E> mine, Fold fold) {
  tree::place const p = tr.place_of(t.site());
  each_piece(mine, piece_bytes, [&](int number, std::span<E> piece) {
    int const tag = round_base + number;
    for (auto l = p.levels.rbegin(); l != p.levels.rend(); ++l) {
      for (int i = l->own - 1; i >= 0; --i) {
        auto const message = t.receive(l->parts[static_cast<std::size_t>(i)].leader, tag);
        fold(piece, message.bytes(), true);
      }
      for (std::size_t i = static_cast<std::size_t>(l->own) + 1; i < l->parts.size(); ++i) {
        auto const message = t.receive(l->parts[i].leader, tag);
        fold(piece, message.bytes(), false);
      }
    }
    if (p.parent >= 0) t.send(p.parent, tag, std::as_bytes(piece));
  });
}

/// Each site's part of the elements becomes the combination of all sites' in their order; the other elements are left
/// as they are. `part(site)` are those of a site. Straight: each byte travels once, and nobody waits for a third.
template <transport T, class E, class Part, class Fold>
void reduce_scatter_span(T& t, Part part, Fold fold) {
  int const n = t.sites(), me = t.site();
  for (int i = 1; i < n; ++i) {
    int const to = (me + i) % n;
    send_span(t, std::span<const int>(&to, 1), round_base, std::span<E>(part(to)));
  }
  std::span<E> const mine = part(me);
  auto const take = [&](int from, bool from_left) {
    receive_span(t, from, round_base, mine, [&](std::span<E> into, bytes_view bytes) { fold(into, bytes, from_left); });
  };
  for (int from = me - 1; from >= 0; --from) take(from, true);
  for (int from = me + 1; from < n; ++from) take(from, false);
}

/// Each site's part of the elements comes to all. Straight. `fill(into, bytes)` writes them.
template <transport T, class E, class Part, class Fill>
void all_gather_span(T& t, Part part, Fill fill, std::size_t piece) {
  int const n = t.sites(), me = t.site();
  std::vector<int> others;
  for (int i = 1; i < n; ++i) others.push_back((me + i) % n);
  send_span(t, others, back, std::span<E>(part(me)), piece);
  for (int i = 1; i < n; ++i) {
    int const from = (me + n - i) % n;
    receive_span(t, from, back, std::span<E>(part(from)), fill, piece);
  }
}

/// Each site's part of the elements comes to the root. Straight.
template <transport T, class E, class Part, class Fill>
void gather_span(T& t, int root, std::span<E> mine, Part part, Fill fill, std::size_t piece) {
  if (t.site() != root) return send_span(t, std::span<const int>(&root, 1), back, mine, piece);
  for (int from = 0; from < t.sites(); ++from)
    if (from != root) receive_span(t, from, back, std::span<std::remove_const_t<E>>(part(from)), fill, piece);
}

/// Each site gets its part of the root's elements. Straight.
template <transport T, class E, class Part, class Fill>
void scatter_span(T& t, int root, Part part, std::span<E> mine, Fill fill, std::size_t piece) {
  if (t.site() != root) return receive_span(t, root, back, mine, fill, piece);
  for (int i = 1; i < t.sites(); ++i) {
    int const to = (root + i) % t.sites();
    send_span(t, std::span<const int>(&to, 1), back, part(to), piece);
  }
}

/// Each site has elements for each: `part(to)` are sent, `place(from)` get those that come. Pairwise.
template <transport T, class E, class Part, class Place, class Fill>
void all_to_all_span(T& t, Part part, Place place, Fill fill, std::size_t piece) {
  int const n = t.sites(), me = t.site();
  for (int i = 1; i < n; ++i) {
    int const to = (me + i) % n;
    send_span(t, std::span<const int>(&to, 1), round_base, part(to), piece);
  }
  for (int i = 1; i < n; ++i) {
    int const from = (me + n - i) % n;
    receive_span(t, from, round_base, std::span<E>(place(from)), fill, piece);
  }
}

/// The elements become the combination of those of all sites up to this one, and `before`, if there is any site before
/// it, that of those. Log2 of all rounds.
template <transport T, class E, class Fold>
void scan_span(T& t, std::span<E> mine, std::vector<E>& before, Fold fold) {
  int const n = t.sites(), me = t.site();
  for (int distance = 1, round = round_base; distance < n; distance *= 2, ++round) {
    if (me + distance < n) t.send(me + distance, round, std::as_bytes(mine));
    if (me - distance < 0) continue;
    auto const message = t.receive(me - distance, round);
    if (before.empty()) {
      before.resize(mine.size());
      std::memcpy(static_cast<void*>(before.data()), message.bytes().data(),
                  std::min(message.bytes().size(), mine.size_bytes()));
    } else {
      fold(std::span<E>(before), message.bytes(), true);
    }
    fold(mine, message.bytes(), true);
  }
}

}  // namespace amity::collectives::algorithms
