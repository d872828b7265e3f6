// Local alignment of two sequences by data-driven tasks (Smith and Waterman, 1981). The matrix of scores is cut into
// tiles. A tile needs the borders of its upper, left and upper left neighbour, and nothing else: each tile has a
// promise of its borders, and its task is begun when those of the three neighbours have been put. No barrier, and no
// order in which the tasks have to be made: here they are made from the last to the first.
//
// Usage: smith_waterman [length [tile]]. The best score is compared with that of the whole matrix by one thread.
#include <algorithm>
#include <amity/amity.hpp>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "usage.hpp"

namespace {

constexpr int match = 2, mismatch = -1, gap = -1;

int score(int above_left, int above, int left, char a, char b) {
  return std::max({0, above_left + (a == b ? match : mismatch), above + gap, left + gap});
}

std::string random_sequence(int length, unsigned seed) {
  std::minstd_rand random(seed);
  std::string sequence(length, ' ');
  for (char& c : sequence) c = "ACGT"[random() / 7 % 4];
  return sequence;
}

int best_by_one(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1, 0);
  int best = 0;
  for (char const x : a) {
    int above_left = 0;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      int const above = row[j];
      row[j] = score(above_left, above, row[j - 1], x, b[j - 1]);
      best = std::max(best, row[j]);
      above_left = above;
    }
  }
  return best;
}

// What a tile's neighbours need of it. The tiles before the first row and column are all 0.
struct borders {
  std::vector<int> bottom, right;
  int corner = 0, best = 0;
};

borders align(const std::string& a, std::size_t first_row, std::size_t rows, const std::string& b,
              std::size_t first_column, std::size_t columns, const borders& above_left, const borders& above,
              const borders& left) {
  borders made{above.bottom, std::vector<int>(rows), 0, std::max({above_left.best, above.best, left.best})};
  std::vector<int>& row = made.bottom;
  int corner = above_left.corner;
  for (std::size_t i = 0; i < rows; ++i) {
    int diagonal = corner, before = left.right[i];
    corner = before;
    for (std::size_t j = 0; j < columns; ++j) {
      int const now = score(diagonal, row[j], before, a[first_row + i], b[first_column + j]);
      made.best = std::max(made.best, now);
      diagonal = row[j];
      row[j] = before = now;
    }
    made.right[i] = before;
  }
  made.corner = row[columns - 1];
  return made;
}

int best_by_tiles(const std::string& a, const std::string& b, std::size_t tile) {
  std::size_t const rows = (a.size() + tile - 1) / tile, columns = (b.size() + tile - 1) / tile;
  auto const at = [columns](std::size_t i, std::size_t j) { return i * (columns + 1) + j; };
  auto const height = [&](std::size_t i) { return std::min(tile, a.size() - (i - 1) * tile); };
  auto const width = [&](std::size_t j) { return std::min(tile, b.size() - (j - 1) * tile); };

  std::vector<amity::promise<borders>> tiles((rows + 1) * (columns + 1));
  std::vector<amity::shared_future<borders>> ready;
  for (auto& p : tiles) ready.push_back(p.get_future());

  amity::finish([&] {
    for (std::size_t i = rows; i >= 1; --i)
      for (std::size_t j = columns; j >= 1; --j)
        amity::async_await(ready[at(i - 1, j - 1)], ready[at(i - 1, j)], ready[at(i, j - 1)], [&, i, j] {
          tiles[at(i, j)].set_value(align(a, (i - 1) * tile, height(i), b, (j - 1) * tile, width(j),
                                          ready[at(i - 1, j - 1)].get(), ready[at(i - 1, j)].get(),
                                          ready[at(i, j - 1)].get()));
        });
    // Nothing has run so far: everything waits for the border of zeros.
    tiles[at(0, 0)].set_value({});
    for (std::size_t j = 1; j <= columns; ++j) tiles[at(0, j)].set_value({std::vector<int>(width(j)), {}, 0, 0});
    for (std::size_t i = 1; i <= rows; ++i) tiles[at(i, 0)].set_value({{}, std::vector<int>(height(i)), 0, 0});
  });
  return ready.back().get().best;
}

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[bases = 2000] [bases of a tile = 128]");
  int const length = std::max(1, argc > 1 ? std::atoi(argv[1]) : 2000);
  int const tile = std::max(1, argc > 2 ? std::atoi(argv[2]) : 128);
  std::string const a = random_sequence(length, 1), b = random_sequence(length + length / 3, 2);

  int const by_tiles = best_by_tiles(a, b, static_cast<std::size_t>(tile));
  int const by_one = best_by_one(a, b);
  std::printf("best local alignment of %zu and %zu bases: %d by tiles of %d, %d by one thread\n", a.size(), b.size(),
              by_tiles, tile, by_one);
  return by_tiles == by_one ? 0 : 1;
}
