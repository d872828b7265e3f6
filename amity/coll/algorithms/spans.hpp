#pragma once

/// Algorithms on elements where they lie, in pieces; algorithms.hpp says more.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/coll/algorithms/steps.hpp"

namespace amity::collectives::algorithms {

// --- pieces

/// To several sites, in pieces; `step` is the tag of the first. The elements stay as they are until settle().
template <transport T, class E>
void send_span(T& t, std::span<const int> to, int step, std::span<E> all, std::size_t piece = piece_bytes) {
  each_piece(all, piece, [&](int number, std::span<E> part) { send_kept(t, to, step + number, std::as_bytes(part)); });
}

/// A piece that is to come.
template <class E>
struct awaited {
  int from, tag;
  std::span<E> into;
};
template <class E>
void await_span(std::vector<awaited<E>>& all, int from, int step, std::span<E> into, std::size_t piece) {
  each_piece(into, piece, [&](int number, std::span<E> part) { all.push_back({from, step + number, part}); });
}
/// `use(which, bytes)` with each as it has come, in this order. Some more may come meanwhile, `at_once` to their place.
template <transport T, class E, class Use>
void receive_in_turn(T& t, const std::vector<awaited<E>>& all, Use use, bool at_once = false) {
  constexpr std::size_t ahead = 4;
  auto const announce = [&](std::size_t i) {
    if (i >= all.size()) return;
    if (at_once)
      expect_at(t, all[i].from, all[i].tag, std::as_writable_bytes(all[i].into));
    else
      expect(t, all[i].from, all[i].tag, all[i].into.size_bytes());
  };
  for (std::size_t i = 0; i < ahead; ++i) announce(i);
  for (std::size_t i = 0; i < all.size(); ++i) {
    announce(i + ahead);
    auto const message = t.receive(all[i].from, all[i].tag);
    use(all[i], message.bytes());
  }
}

/// `fill(into, bytes)` with each; the bytes may be those of `into`.
template <transport T, class E, class Fill>
void fill_in_turn(T& t, const std::vector<awaited<E>>& all, Fill fill) {
  receive_in_turn(
      t, all, [&](const awaited<E>& a, bytes_view bytes) { fill(a.into, bytes); }, /*at_once=*/true);
}

// --- along a tree

/// The root's elements come to all. `fill(into, bytes)` writes them; `step` is the tag of the first piece.
template <transport T, class E, class Fill>
void broadcast_span(T& t, const tree& tr, std::span<E> mine, Fill fill, int step = round_base,
                    std::size_t piece = piece_bytes) {
  tree::place const p = tr.place_of(t.site());
  std::vector<int> const to = below(p, t.site());
  if (p.parent < 0) {
    send_span(t, to, step, mine, piece);
    return settle(t);
  }
  std::vector<awaited<E>> pieces;
  await_span(pieces, p.parent, step, mine, piece);
  receive_in_turn(
      t, pieces,
      [&](const awaited<E>& a, bytes_view bytes) {
        if constexpr (keeps_bytes<T>) {  // what has come to its place can be sent from there
          fill(a.into, bytes);
          send_kept(t, to, a.tag, std::as_bytes(a.into));
        } else {
          if (!to.empty()) send_to_all(t, to, a.tag, bytes);
          fill(a.into, bytes);
        }
      },
      /*at_once=*/true);
  settle(t);
}

/// `fold(into, bytes, from_left)` combines elements from another site into those here, from the left if `from_left`.
template <transport T, class E, class Fold>
void reduce_span(T& t, const tree& tr, std::span<E> mine, Fold fold, std::size_t piece = piece_bytes) {
  tree::place const p = tr.place_of(t.site());
  auto const children = children_of(p);
  std::vector<awaited<E>> pieces;
  each_piece(mine, piece, [&](int number, std::span<E> part) {
    for (auto const& [child, from_left] : children) pieces.push_back({child, round_base + number, part});
    if (children.empty()) send_span(t, {&p.parent, p.parent < 0 ? 0u : 1u}, round_base + number, part, as_a_whole);
  });
  std::size_t next = 0;
  receive_in_turn(t, pieces, [&](const awaited<E>& a, bytes_view bytes) {
    fold(a.into, bytes, children[next].second);
    if (++next < children.size()) return;
    next = 0;
    if (p.parent >= 0) send_kept(t, {&p.parent, 1}, a.tag, std::as_bytes(a.into));
  });
  settle(t);
}

// --- straight: between any two

/// Each site's part of the elements becomes the combination of all sites' in their order; the other elements are left
/// as they are. `part(site)` are those of a site. Each byte travels once, and nobody waits for a third.
template <transport T, class E, class Part, class Fold>
void reduce_scatter_span(T& t, Part part, Fold fold) {
  int const n = t.sites(), me = t.site();
  for (int i = 1; i < n; ++i) {
    int const to = (me + i) % n;
    send_span(t, {&to, 1}, round_base, std::span<E>(part(to)));
  }
  std::vector<awaited<E>> pieces;
  for (int from = me - 1; from >= 0; --from) await_span(pieces, from, round_base, std::span<E>(part(me)), piece_bytes);
  for (int from = me + 1; from < n; ++from) await_span(pieces, from, round_base, std::span<E>(part(me)), piece_bytes);
  receive_in_turn(t, pieces,
                  [&](const awaited<E>& a, bytes_view bytes) { fold(a.into, bytes, /*from_left=*/a.from < me); });
  settle(t);
}

/// Each site's part of the elements comes to all. `fill(into, bytes)` writes them; `step` is the tag of the first
/// piece.
template <transport T, class E, class Part, class Fill>
void all_gather_span(T& t, Part part, Fill fill, std::size_t piece, int step = back) {
  int const n = t.sites(), me = t.site();
  std::vector<int> others;
  for (int i = 1; i < n; ++i) others.push_back((me + i) % n);
  send_span(t, others, step, std::span<E>(part(me)), piece);
  std::vector<awaited<E>> pieces;
  for (int i = 1; i < n; ++i) {
    int const from = (me + n - i) % n;
    await_span(pieces, from, step, std::span<E>(part(from)), piece);
  }
  fill_in_turn(t, pieces, fill);
  settle(t);
}

/// Each site's part of the elements comes to the root.
template <transport T, class E, class Part, class Fill>
void gather_span(T& t, int root, std::span<E> mine, Part part, Fill fill, std::size_t piece) {
  if (t.site() != root) {
    send_span(t, {&root, 1}, back, mine, piece);
    return settle(t);
  }
  using element = std::remove_const_t<E>;
  std::vector<awaited<element>> pieces;
  for (int from = 0; from < t.sites(); ++from)
    if (from != root) await_span(pieces, from, back, std::span<element>(part(from)), piece);
  fill_in_turn(t, pieces, fill);
}

/// Each site gets its part of the root's elements. `fill(into, bytes)` writes them.
template <transport T, class E, class Part, class Fill>
void scatter_span(T& t, int root, Part part, std::span<E> mine, Fill fill, std::size_t piece) {
  if (t.site() == root) {
    for (int i = 1; i < t.sites(); ++i) {
      int const to = (root + i) % t.sites();
      send_span(t, {&to, 1}, back, part(to), piece);
    }
    return settle(t);
  }
  std::vector<awaited<E>> pieces;
  await_span(pieces, root, back, mine, piece);
  fill_in_turn(t, pieces, fill);
}

/// Each site has elements for each: `part(to)` are sent, `place(from)` get those that come. Pairwise.
template <transport T, class E, class Part, class Place, class Fill>
void all_to_all_span(T& t, Part part, Place place, Fill fill, std::size_t piece) {
  int const n = t.sites(), me = t.site();
  for (int i = 1; i < n; ++i) {
    int const to = (me + i) % n;
    send_span(t, {&to, 1}, round_base, part(to), piece);
  }
  std::vector<awaited<E>> pieces;
  for (int i = 1; i < n; ++i) {
    int const from = (me + n - i) % n;
    await_span(pieces, from, round_base, std::span<E>(place(from)), piece);
  }
  fill_in_turn(t, pieces, fill);
  settle(t);
}

// --- in rounds

/// The elements become the combination of all sites', everywhere: recursive doubling, for a power of two of sites.
template <transport T, class E, class Fold>
void all_reduce_span_doubling(T& t, std::span<E> mine, Fold fold) {
  int const n = t.sites(), me = t.site();
  for (int distance = 1, round = round_base; distance < n; distance *= 2, ++round) {
    int const other = me ^ distance;
    expect(t, other, round, mine.size_bytes());
    t.send(other, round, std::as_bytes(mine));
    auto const message = t.receive(other, round);
    fold(mine, message.bytes(), other < me);
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
