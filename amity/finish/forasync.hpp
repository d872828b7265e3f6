#pragma once

/// Loops whose iterations are tasks, in any number of dimensions and with any integral index. They count in the finish
/// around; forasync itself returns when the tasks are made.
///
///     amity::finish([&] {
///       amity::forasync(0, n, [&](int i) { ++hits[i]; });
///       amity::forasync(amity::range2d({0, 30}, {0, 40}), amity::recursive{.tile = {7, 9}},
///                       [&](long i, long j) { ++grid[i * 40 + j]; });
///       amity::forasync(amity::range_nd<4>({0, nt}, {0, nz}, {0, ny}, {0, nx}), amity::chunked{.tile = {1, 8}},
///                       [&](long t, long z, long y, long x) { step(t, z, y, x); });
///     });
///
/// `chunked` makes one task for each tile; `recursive` halves the longer side until a tile is left, so that thieves get
/// large parts first. A tile of 0 is the side divided by the number of workers. `over_places` gives tiles to parts of
/// the machine, neighbours to the same one or each to the next:
///
///     amity::over_places sockets{.places = amity::place::all(amity::place_kind::socket)};
///     amity::forasync(amity::range(0, n), sockets, [&](long i) { a[i] = 0; });      // pages near their users

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/future/async.hpp"

namespace amity {

/// The types that a loop may count in.
template <class T>
concept loop_index = std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool>;

/// Numbers from `first` to before `last`.
template <loop_index T>
struct basic_range {
  T first = 0;  ///< of the range
  T last = 0;   ///< behind it
  /// [from, to); empty if to is not larger.
  constexpr basic_range(T from, T to) noexcept : first(from), last(to) {}
  /// How many.
  [[nodiscard]] constexpr std::uint64_t size() const noexcept {
    return last > first ? static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) : 0;
  }
};
/// The usual one.
using range = basic_range<long>;

namespace detail {

template <class T, std::size_t>
using range_of_side = basic_range<T>;

template <class T, class Indices>
struct sides_of;
template <class T, std::size_t... D>
struct sides_of<T, std::index_sequence<D...>> {
  /// The outermost one first.
  std::array<basic_range<T>, sizeof...(D)> side;
  /// All combinations of a number from each.
  constexpr explicit(sizeof...(D) == 1) sides_of(range_of_side<T, D>... all) noexcept : side{all...} {}
};

}  // namespace detail

/// Tuples of D numbers: range_nd<4>({0, 10}, {0, 20}, {0, 30}, {0, 40}).
template <std::size_t D, loop_index T = long>
struct range_nd : detail::sides_of<T, std::make_index_sequence<D>> {
  static_assert(D >= 1);
  using detail::sides_of<T, std::make_index_sequence<D>>::sides_of;
};
/// Pairs: range2d({0, 30}, {0, 40}).
using range2d = range_nd<2>;
/// Triples.
using range3d = range_nd<3>;

/// The sides of a tile, as many as the loop has; those left out, or 0, are chosen.
using tile_sides = std::array<std::uint64_t, 8>;

/// One task for each tile, made by the caller.
struct chunked {
  /// 0: the loop's side by the number of workers.
  tile_sides tile{};
};
/// The longer side is halved, by tasks, until a tile is left.
struct recursive {
  /// The sides that a tile has at most; 0: the loop's side by the number of workers.
  tile_sides tile{};
};

/// How tiles are distributed over places. `block`: each place gets neighbours, equally many; `cyclic`: in turn.
enum class distribution : std::uint8_t { block, cyclic };

/// Tiles are tasks at places of the machine: `forasync(n, f, over_places{distribution::cyclic})`.
struct over_places {
  distribution how = distribution::block;  ///< which tile goes where
  std::vector<place> places{};             ///< none: the cores
  tile_sides tile{};  ///< 0: the first side is cut so that each core of each place has one; others are whole
};

namespace detail {

/// Part of a side, counted from its first number.
struct extent {
  std::uint64_t first = 0, last = 0;
  [[nodiscard]] std::uint64_t size() const noexcept { return last - first; }
};
template <std::size_t D>
using box = std::array<extent, D>;

[[nodiscard]] inline std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) noexcept {
  return a / b + (a % b != 0 ? 1 : 0);
}
/// Number `tile` of the pieces of a side.
[[nodiscard]] inline extent piece_of(const extent& side, std::uint64_t length, std::uint64_t tile) noexcept {
  std::uint64_t const first = side.first + tile * length;
  return {first, side.last - first > length ? first + length : side.last};
}

/// A loop: where its sides begin, in the user's numbers, and what it does.
template <std::size_t D, class T, class F>
struct loop_nest {
  std::array<T, D> origin;
  F body;

  template <class... Outer>
  void run(const box<D>& b, Outer... outer) {
    constexpr std::size_t d = sizeof...(Outer);
    for (T i = number(d, b[d].first), end = number(d, b[d].last); i < end; ++i) {
      if constexpr (d + 1 == D)
        body(outer..., i);
      else
        run(b, outer..., i);
    }
  }

 private:
  /// Without a sign, and so modulo 2^bits; what comes out is a T, as both ends of the side are.
  [[nodiscard]] T number(std::size_t d, std::uint64_t offset) const noexcept {
    using bits = std::make_unsigned_t<std::common_type_t<T, int>>;
    return static_cast<T>(static_cast<bits>(origin[d]) + static_cast<bits>(offset));
  }
};

/// The tile's sides: those not given from the number of workers.
template <std::size_t D>
std::array<std::uint64_t, D> tile_for(const box<D>& b, const tile_sides& asked) noexcept {
  std::array<std::uint64_t, D> tile;
  auto const workers = static_cast<std::uint64_t>(worker_count());
  for (std::size_t d = 0; d < D; ++d) tile[d] = asked[d] != 0 ? asked[d] : divided_up(b[d].size(), workers);
  return tile;
}

template <std::size_t D, class Nest>
void spawn_tiles(const box<D>& whole, const std::array<std::uint64_t, D>& tile, const std::shared_ptr<Nest>& nest,
                 box<D> b, std::size_t d) {
  if (d == D) {
    post([b, nest] { nest->run(b); });
    return;
  }
  for (std::uint64_t t = 0, tiles = divided_up(whole[d].size(), tile[d]); t < tiles; ++t) {
    b[d] = piece_of(whole[d], tile[d], t);
    spawn_tiles<D>(whole, tile, nest, b, d + 1);
  }
}

/// Gives halves away until a tile is left, and runs that.
template <std::size_t D, class Nest>
void halve(box<D> b, const std::array<std::uint64_t, D>& tile, const std::shared_ptr<Nest>& nest) {
  for (;;) {
    std::size_t longest = 0;
    double most = 1;
    for (std::size_t d = 0; d < D; ++d)
      if (double const tiles = static_cast<double>(b[d].size()) / static_cast<double>(tile[d]); tiles > most) {
        most = tiles;
        longest = d;
      }
    if (most <= 1) break;
    box<D> other = b;
    other[longest].first = b[longest].last = b[longest].first + b[longest].size() / 2;
    post([other, tile, nest] { halve<D>(other, tile, nest); });
  }
  nest->run(b);
}

template <std::size_t D, class Nest>
void make_tasks(const box<D>& b, const chunked& style, std::shared_ptr<Nest> nest) {
  spawn_tiles<D>(b, tile_for<D>(b, style.tile), nest, b, 0);
}
template <std::size_t D, class Nest>
void make_tasks(const box<D>& b, const recursive& style, std::shared_ptr<Nest> nest) {
  auto const tile = tile_for<D>(b, style.tile);
  post([b, tile, nest] { halve<D>(b, tile, nest); });
}
template <std::size_t D, class Nest>
void make_tasks(const box<D>& b, const over_places& style, std::shared_ptr<Nest> nest) {
  std::vector<place> const given = style.places.empty() ? place::all(place_kind::core) : style.places;
  std::uint64_t const places = given.size();
  // As many tiles along the first side as there are cores in all places.
  std::uint64_t cores = 0;
  for (place p : given) cores += p.cores().size();
  std::uint64_t tiles = 1;
  std::array<std::uint64_t, D> tile, count;
  for (std::size_t d = 0; d < D; ++d) {
    std::uint64_t const parts = d != 0 ? 1 : cores > places ? cores : places;
    tile[d] = style.tile[d] != 0 ? style.tile[d] : divided_up(b[d].size(), parts);
    count[d] = divided_up(b[d].size(), tile[d]);
    tiles *= count[d];
  }
  for (std::uint64_t t = 0; t < tiles; ++t) {
    box<D> part = b;
    std::uint64_t rest = t;
    for (std::size_t d = D; d-- > 0;) {
      part[d] = piece_of(b[d], tile[d], rest % count[d]);
      rest /= count[d];
    }
    // With blocks, tile t of all tiles is at place t * places / tiles.
    std::uint64_t const where = style.how == distribution::cyclic ? t % places : t * places / tiles;
    post(at(given[static_cast<std::size_t>(where)]), [part, nest] { nest->run(part); });
  }
}

template <std::size_t D, class T, class Style, class F>
void for_all_of(const std::array<basic_range<T>, D>& side, const Style& style, F&& f) {
  static_assert(D <= std::tuple_size_v<tile_sides>, "forasync: a loop has eight dimensions at most");
  using nest = loop_nest<D, T, std::decay_t<F>>;
  box<D> all;
  std::array<T, D> origin;
  for (std::size_t d = 0; d < D; ++d) {
    if (side[d].size() == 0) return;
    all[d].last = side[d].size();
    origin[d] = side[d].first;
  }
  make_tasks<D>(all, style, std::make_shared<nest>(nest{origin, std::forward<F>(f)}));
}

}  // namespace detail

/// Begins tasks that call `f(i)` for each i. Returns when they are made (recursive: when the first one is); the finish
/// around waits for them. One copy of `f` for all, called by several at once.
template <class T, class Style, class F>
void forasync(basic_range<T> r, const Style& style, F&& f) {
  detail::for_all_of<1, T>({r}, style, std::forward<F>(f));
}
/// The same with `f(i, j)`, `f(i, j, k)`, ...
template <std::size_t D, class T, class Style, class F>
void forasync(const range_nd<D, T>& r, const Style& style, F&& f) {
  detail::for_all_of<D, T>(r.side, style, std::forward<F>(f));
}
/// The same, chunked, with one tile for each worker in each dimension.
template <class Range, class F>
requires(!std::integral<Range>) void forasync(const Range& r, F&& f) { forasync(r, chunked{}, std::forward<F>(f)); }
/// The same of [first, last), in the type that both have in common.
template <loop_index A, loop_index B, class F>
void forasync(A first, B last, F&& f) {
  using T = std::common_type_t<A, B>;
  forasync(basic_range<T>(static_cast<T>(first), static_cast<T>(last)), chunked{}, std::forward<F>(f));
}

}  // namespace amity
