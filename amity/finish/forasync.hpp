#pragma once

/// Loops whose iterations are tasks, in one to three dimensions. They count in the finish around; forasync itself
/// returns when the tasks are made.
///
///     amity::finish([&] {
///       amity::forasync(amity::range(0, n), [&](long i) { ++hits[i]; });
///       amity::forasync(amity::range2d({0, 30}, {0, 40}), amity::recursive{.tile = {7, 9}},
///                       [&](long i, long j) { ++grid[i * 40 + j]; });
///     });
///
/// `chunked` makes one task for each tile; `recursive` halves the longer side until a tile is left, so that thieves get
/// large parts first. A tile of 0 is the side divided by the number of workers. `over_places` gives tiles to parts of
/// the machine, neighbours to the same one or each to the next:
///
///     amity::over_places sockets{.places = amity::place::all(amity::place_kind::socket)};
///     amity::forasync(amity::range(0, n), sockets, [&](long i) { a[i] = 0; });      // pages near who will use them

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "amity/future/async.hpp"

namespace amity {

/// Numbers from `first` to before `last`.
struct range {
  long first = 0;  ///< of the range
  long last = 0;   ///< behind it
  /// [from, to); empty if to is not larger.
  constexpr range(long from, long to) noexcept : first(from), last(to) {}
  /// How many.
  [[nodiscard]] constexpr long size() const noexcept { return last > first ? last - first : 0; }
};
/// Pairs of numbers.
struct range2d {
  /// The outer one first.
  std::array<range, 2> side;
  /// All (i, j).
  constexpr range2d(range i, range j) noexcept : side{i, j} {}
};
/// Triples of numbers.
struct range3d {
  /// The outermost one first.
  std::array<range, 3> side;
  /// All (i, j, k).
  constexpr range3d(range i, range j, range k) noexcept : side{i, j, k} {}
};

/// One task for each tile, made by the caller.
struct chunked {
  /// The sides of a tile, as many as the loop has; 0: the loop's side by the number of workers.
  std::array<long, 3> tile{};
};
/// The longer side is halved, by tasks, until a tile is left.
struct recursive {
  /// The sides that a tile has at most; 0: the loop's side by the number of workers.
  std::array<long, 3> tile{};
};

/// How tiles are distributed over places. `block`: each place gets neighbours, equally many; `cyclic`: in turn.
enum class distribution : std::uint8_t { block, cyclic };

/// Tiles are tasks at places of the machine: `forasync(n, f, over_places{distribution::cyclic})`.
struct over_places {
  distribution how = distribution::block;  ///< which tile goes where
  std::vector<place> places{};             ///< none: the cores
  std::array<long, 3> tile{};  ///< 0: the first side is cut so that each core of each place has one; others are whole
};

namespace detail {

template <std::size_t D>
using box = std::array<range, D>;

template <std::size_t D, class F>
void run_box(const box<D>& b, F& f) {
  for (long i = b[0].first; i < b[0].last; ++i) {
    if constexpr (D == 1) {
      f(i);
    } else {
      for (long j = b[1].first; j < b[1].last; ++j) {
        if constexpr (D == 2) {
          f(i, j);
        } else {
          for (long k = b[2].first; k < b[2].last; ++k) f(i, j, k);
        }
      }
    }
  }
}

/// The tile's sides: those not given from the number of workers.
template <std::size_t D>
std::array<long, D> tile_for(const box<D>& b, const std::array<long, 3>& asked) noexcept {
  std::array<long, D> tile;
  for (std::size_t d = 0; d < D; ++d) {
    long const workers = worker_count();
    tile[d] = asked[d] > 0 ? asked[d] : (b[d].size() + workers - 1) / workers;
    if (tile[d] < 1) tile[d] = 1;
  }
  return tile;
}

template <std::size_t D, class F>
void spawn_tiles(const box<D>& whole, const std::array<long, D>& tile, const std::shared_ptr<F>& f, box<D> b,
                 std::size_t d) {
  if (d == D) {
    post([b, f] { run_box<D>(b, *f); });
    return;
  }
  for (long at = whole[d].first; at < whole[d].last; at += tile[d]) {
    b[d] = range(at, whole[d].last - at > tile[d] ? at + tile[d] : whole[d].last);
    spawn_tiles<D>(whole, tile, f, b, d + 1);
  }
}

/// Gives halves away until a tile is left, and does that.
template <std::size_t D, class F>
void halve(box<D> b, const std::array<long, D>& tile, const std::shared_ptr<F>& f) {
  for (;;) {
    std::size_t longest = 0;
    double most = 1;
    for (std::size_t d = 0; d < D; ++d)
      if (double const tiles = static_cast<double>(b[d].size()) / static_cast<double>(tile[d]); tiles > most) {
        most = tiles;
        longest = d;
      }
    if (most <= 1) break;
    long const middle = b[longest].first + b[longest].size() / 2;
    box<D> other = b;
    other[longest].first = middle;
    b[longest].last = middle;
    post([other, tile, f] { halve<D>(other, tile, f); });
  }
  run_box<D>(b, *f);
}

template <std::size_t D>
[[nodiscard]] bool is_empty(const box<D>& b) noexcept {
  for (const range& r : b)
    if (r.size() == 0) return true;
  return false;
}

template <std::size_t D, class F>
void for_box(const box<D>& b, const chunked& style, F&& f) {
  if (is_empty<D>(b)) return;
  spawn_tiles<D>(b, tile_for<D>(b, style.tile), std::make_shared<std::decay_t<F>>(std::forward<F>(f)), b, 0);
}
template <std::size_t D, class F>
void for_box(const box<D>& b, const over_places& style, F&& f) {
  if (is_empty<D>(b)) return;
  std::vector<place> const given = style.places.empty() ? place::all(place_kind::core) : style.places;
  auto const places = static_cast<long>(given.size());
  // As many tiles along the first side as there are cores in all places.
  long cores = 0;
  for (place p : given) cores += static_cast<long>(p.cores().size());
  long tiles = 1;
  std::array<long, D> tile, count;
  for (std::size_t d = 0; d < D; ++d) {
    long const parts = d == 0 ? (cores > places ? cores : places) : 1;
    tile[d] = style.tile[d] > 0 ? style.tile[d] : (b[d].size() + parts - 1) / parts;
    count[d] = (b[d].size() + tile[d] - 1) / tile[d];
    tiles *= count[d];
  }
  auto shared = std::make_shared<std::decay_t<F>>(std::forward<F>(f));
  for (long t = 0; t < tiles; ++t) {
    box<D> part = b;
    long rest = t;
    for (std::size_t d = D; d-- > 0;) {
      long const first = b[d].first + rest % count[d] * tile[d];
      part[d] = range(first, b[d].last - first > tile[d] ? first + tile[d] : b[d].last);
      rest /= count[d];
    }
    // With blocks, tile t of all tiles is at place t * places / tiles.
    long const where = style.how == distribution::cyclic ? t % places : t * places / tiles;
    post(at(given[static_cast<std::size_t>(where)]), [part, shared] { run_box<D>(part, *shared); });
  }
}
template <std::size_t D, class F>
void for_box(const box<D>& b, const recursive& style, F&& f) {
  if (is_empty<D>(b)) return;
  auto const tile = tile_for<D>(b, style.tile);
  auto shared = std::make_shared<std::decay_t<F>>(std::forward<F>(f));
  post([b, tile, shared] { halve<D>(b, tile, shared); });
}

}  // namespace detail

/// Begins tasks that call `f(i)` for each i. Returns when they are made (recursive: when the first one is); the finish
/// around waits for them. One copy of `f` for all, called by several at once.
template <class Style, class F>
void forasync(range r, const Style& style, F&& f) {
  detail::for_box<1>({r}, style, std::forward<F>(f));
}
/// The same with `f(i, j)`.
template <class Style, class F>
void forasync(range2d r, const Style& style, F&& f) {
  detail::for_box<2>(r.side, style, std::forward<F>(f));
}
/// The same with `f(i, j, k)`.
template <class Style, class F>
void forasync(range3d r, const Style& style, F&& f) {
  detail::for_box<3>(r.side, style, std::forward<F>(f));
}
/// The same, chunked, with one tile for each worker in each dimension.
template <class Range, class F>
void forasync(Range r, F&& f) {
  forasync(r, chunked{}, std::forward<F>(f));
}

}  // namespace amity
